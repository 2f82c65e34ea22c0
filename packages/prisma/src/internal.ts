// Used only by other packages of this repository. Unstable: it changes without a major version.

export {
  type AggregateArgs,
  type DatePart,
  dateParts,
  type GroupOrder,
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
export { json } from "./conditions/json-operand.js";
export { isSortable, mayBeNull } from "./conditions/operators-of.js";
export { referenced, referencing } from "./conditions/related-where.js";
export { rowsWhere } from "./conditions/rows-where.js";
export { hasExtensions, isOmitted, logsQueries, type ResultField, resultFields } from "./database/client-options.js";
export { type DeletedBatch, deleteExpired, deleteInBatches } from "./database/delete-in-batches.js";
export { foundRows } from "./database/executor.js";
export { lockAll } from "./database/lock-all.js";
export { prismaEngines } from "./database/model-engine.js";
export { caseInsensitiveColumns } from "./database/mysql-catalog.js";
export { queryRaw } from "./database/prisma-client-like.js";
export { prismaExecutor } from "./database/prisma-executor.js";
export { sizeOf } from "./database/rows-size.js";
export type { ErrorContext } from "./errors/error-context.js";
export { ormErrors } from "./errors/orm-errors.js";
export { responseTooLarge, writtenTooLarge } from "./errors/response-too-large.js";
export { databaseError } from "./errors/to-http-error.js";
export { brokenRule } from "./errors/unique-error.js";
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
export { readConfiguredFilter, readRowFilter, readWhere } from "./filter/read-where.js";
export { toWhere } from "./filter/to-where.js";
export { isBodyField, isOptionalInCreate } from "./models/body-fields.js";
export { constantDefault } from "./models/constant-default.js";
export { type Dependent, dependentsOf, isCascade, isRestrict } from "./models/dependents.js";
export {
  type ExpectedField,
  expectedFieldIssues,
  isScalarOf,
  missingFieldIssues,
  optionalTextOf,
  textOf,
} from "./models/expected-fields.js";
export { fieldRule, maxListItems } from "./models/field-rule.js";
export { isHidden } from "./models/is-hidden.js";
export { isSinglePrecision } from "./models/is-single-precision.js";
export { isStored, storedFields } from "./models/is-stored.js";
export { isPathText, noPathText, pathTextRule } from "./models/path-text.js";
export { quoteName, quoteTable, quoteText } from "./models/quote-name.js";
export { recordedFields } from "./models/recorded-fields.js";
export { resourcePath } from "./models/resource-path.js";
export { isSecretFieldName } from "./models/secret-field-name.js";
export { SqlColumn, SqlExpression, sqlTemplate } from "./models/sql-expression.js";
export { readConnectionString } from "./postgres/connection-string.js";
export { findWritableUrl } from "./postgres/writable-url.js";
export { capabilitiesOf } from "./providers/capabilities.js";
export { providerIssue } from "./providers/check-provider.js";
export { type Provider, providerName, readProvider } from "./providers/provider.js";
export type { SearchFields, TextSearch } from "./queries/text-search.js";
export { readDatabase } from "./replicas/read-database.js";
export type { ReplicaServer, ReplicaState } from "./replicas/replica.js";
export type { WalPosition } from "./replicas/wal-position.js";
export { type ReadSession, type ReplicatedDatabase, withReplicas } from "./replicas/with-replicas.js";
export type { SearchNeed } from "./search/find-search-issues.js";
export { makeHeadlineMarks, originalExcerpt } from "./search/headline-sql.js";
export { type SearchStorage, searchFields, searchStorage, vectorLines } from "./search/search-storage.js";
export { chooseEngine } from "./sql/choose-engine.js";
export { inexactFields } from "./sql/exact-executor.js";
export { findComputedIssues } from "./sql/find-computed-issues.js";
export { type FindPlanGaps, makeGapFinder, type PlanGaps } from "./sql/find-plan-gaps.js";
export {
  type FilteredStates,
  type MatchStates,
  makeStateMatcher,
} from "./sql/match-states.js";
export { reasonForPrisma } from "./sql/model-engines.js";
export { sqlExecutor } from "./sql/sql-executor.js";
export { exactDigits, isShortNumber } from "./values/exact-float.js";
export { exactJsonText, parseJson, withExactNumbers } from "./values/exact-json.js";
export { hasDate, yearsText } from "./values/has-date.js";
export { isPlainText, plainTextRule } from "./values/is-plain-text.js";
export { isDecimal, toJsonField, toJsonValue } from "./values/json-value.js";
export { dateOfText, PreciseDate } from "./values/moment.js";
export { dbNull, jsonNull } from "./values/prisma-nulls.js";
export { shortestSingle } from "./values/shortest-single.js";
export { isLongerThan } from "./values/text-length.js";
export { withoutEnd } from "./values/without-end.js";
export { writeKey } from "./values/write-key.js";
