// Used only by other packages of this repository. Unstable: it changes without a major version.
export {
  type AggregateArgs,
  type DatePart,
  dateParts,
  type Group,
  type GroupStep,
} from "./aggregates/aggregate-args.js";
export {
  type AggregateFunction,
  aggregateFunctions,
  groupField,
  hasPeriods,
  type Measure,
  measureOperators,
  measuresOf,
  periodField,
} from "./aggregates/measure.js";
export { isBodyField, isOptionalInCreate } from "./body-fields.js";
export { providerIssue } from "./check-provider.js";
export { json } from "./conditions/json-operand.js";
export { isSortable, mayBeNull } from "./conditions/operators-of.js";
export { rowsWhere } from "./conditions/rows-where.js";
export { constantDefault } from "./constant-default.js";
export { computedFields, hasExtensions, isOmitted } from "./database/client-options.js";
export { foundRows } from "./database/executor.js";
export { prismaEngines } from "./database/model-engine.js";
export { prismaExecutor } from "./database/prisma-executor.js";
export { sizeOf } from "./database/rows-size.js";
export type { ErrorContext } from "./errors/error-context.js";
export { ormErrors } from "./errors/orm-errors.js";
export { responseTooLarge, writtenTooLarge } from "./errors/response-too-large.js";
export { databaseError } from "./errors/to-http-error.js";
export { brokenRule } from "./errors/unique-error.js";
export { exactDigits, isShortNumber } from "./exact-float.js";
export { containsExactNumber, ExactJson, withExactNumbers } from "./exact-json.js";
export { fieldRule, maxListItems } from "./field-rule.js";
export {
  allOf,
  anyOf,
  type Condition,
  condition,
  everyRow,
  type Filter,
  isEveryRow,
  noRow,
  notOf,
  type Opaque,
  type Quantifier,
  type Related,
  related,
} from "./filter/filter.js";
export { exactOperators, looseOperators } from "./filter/prisma-operators.js";
export { readRowFilter, readWhere } from "./filter/read-where.js";
export { toWhere } from "./filter/to-where.js";
export { isHidden } from "./is-hidden.js";
export { isPlainText, plainTextRule } from "./is-plain-text.js";
export { isDecimal, toJsonField, toJsonValue } from "./json-value.js";
export { dateOfText, dateTimeText, PreciseDate } from "./moment.js";
export { isPathText, noPathText, pathTextRule } from "./path-text.js";
export { dbNull, jsonNull } from "./prisma-nulls.js";
export { resourcePath } from "./resource-path.js";
export { chooseEngine } from "./sql/choose-engine.js";
export { inexactFields } from "./sql/exact-executor.js";
export { sqlExecutor } from "./sql/sql-executor.js";
export { isLongerThan } from "./text-length.js";
export { withoutEnd } from "./without-end.js";
