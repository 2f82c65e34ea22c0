// Used only by other packages of this repository. Unstable: it changes without a major version.
export {
  type Condition,
  type ConditionTree,
  type FieldNode,
  type OperandNode,
  readTree,
} from "./filter/condition-tree.js";
export { isOperator, operators } from "./operators.js";
export { queryErrors } from "./query-errors.js";
export { listParameters } from "./query-limits.js";
export { readSort } from "./read-sort.js";
export { readTerms } from "./terms/read-terms.js";
export { type ReadText, readText } from "./values/read-text.js";
export { readValues } from "./values/read-values.js";
export { splitList } from "./values/split-list.js";
