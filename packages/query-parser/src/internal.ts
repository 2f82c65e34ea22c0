// What only other packages of this repository use. Unstable: it changes without a major version.
export { type Condition, type ConditionTree, type FieldNode, type OperandNode, readTree } from "./condition-tree.js";
export { isOperator, operators } from "./operators.js";
export { queryErrors } from "./query-errors.js";
export { listParameters } from "./query-limits.js";
export { readSort } from "./read-sort.js";
export { readTerms } from "./read-terms.js";
export { type ReadText, readText } from "./read-text.js";
export { readValues } from "./read-values.js";
export { splitList } from "./split-list.js";
