export {
  type Condition,
  type ConditionTree,
  type FieldNode,
  type Group,
  type OperandNode,
  type ReadTreeOptions,
  type RelationNode,
  readTree,
} from "./condition-tree.js";
export type { ExpectedList, ExpectedScalar, ExpectedValue } from "./expected-value.js";
export { isOperator, type Operands, type Operator, type OperatorName, operators } from "./operators.js";
export type { QueryParserOptions } from "./options.js";
export { parseQuery } from "./parse-query.js";
export type { GroupKey, ParsedQuery, QueryScalar, QueryValue } from "./parsed-query.js";
export { queryErrors } from "./query-errors.js";
export { defaultQueryLimits, listParameters, type QueryLimits } from "./query-limits.js";
export { readSort, type SortKey } from "./read-sort.js";
export { type QueryInput, type QueryTerm, type ReadTermsOptions, readTerms } from "./read-terms.js";
export { type ReadText, readText } from "./read-text.js";
export { readValues } from "./read-values.js";
export { splitList } from "./split-list.js";
export { type StringifyQueryOptions, stringifyQuery } from "./stringify-query.js";
export { type OrmOrder, type OrmQuery, type ToOrmQueryOptions, toOrmQuery } from "./to-orm-query.js";
