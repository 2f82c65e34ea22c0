export { isBodyField, isOptionalInCreate } from "./body-fields.js";
export { providerFault } from "./check-provider.js";
export { fieldCondition } from "./conditions/field-condition.js";
export { type JsonOperand, json } from "./conditions/json-operand.js";
export { type FieldOperator, isSortable, mayBeNull, operatorsOf } from "./conditions/operators-of.js";
export { rowsWhere } from "./conditions/rows-where.js";
export { computedFields, isOmitted } from "./database/client-options.js";
export type { Connections } from "./database/connections.js";
export type { Delegate } from "./database/delegate.js";
export {
  type Database,
  type DatabaseSettings,
  makeDatabase,
  type TransactionOptions,
} from "./database/make-database.js";
export type { PrismaClientLike, PrismaHandle } from "./database/prisma-client-like.js";
export {
  type JsonList,
  type JsonListOptions,
  type MakeReadExecutor,
  prismaReads,
  type ReadExecutor,
  type SeenModels,
} from "./database/read-executor.js";
export { sizeOf } from "./database/rows-size.js";
export { saysMore } from "./database/says-more.js";
export { timeText } from "./database/stored-value.js";
export { hasExtensions, whyAllByPrisma, whyWritesByPrisma } from "./database/why-all-by-prisma.js";
export {
  type MakeWriteExecutor,
  prismaWrites,
  type RunChanges,
  type WriteExecutor,
  type WrittenJson,
} from "./database/write-executor.js";
export type { ErrorContext } from "./errors/error-context.js";
export { ormErrors } from "./errors/orm-errors.js";
export { responseTooLarge, writtenTooLarge } from "./errors/response-too-large.js";
export { databaseError, toHttpError } from "./errors/to-http-error.js";
export { type BrokenRule, brokenRule } from "./errors/unique-error.js";
export { exactDigits, isShortNumber } from "./exact-float.js";
export { compactJson, ExactJson, ExactNumber, holdsExactNumber, parseJson, withExactNumbers } from "./exact-json.js";
export { type FieldRule, fieldRule, mostListItems } from "./field-rule.js";
export { isInexact } from "./inexact-field.js";
export { isHidden } from "./is-hidden.js";
export { isPlainText, plainTextRule } from "./is-plain-text.js";
export type {
  EnumField,
  Field,
  FieldMarks,
  Model,
  Models,
  RelationField,
  ScalarField,
  ScalarType,
  StoredField,
  UniqueKey,
  UnsupportedField,
} from "./model.js";
export type { ModelsData } from "./models-data.js";
export {
  dateOfMoment,
  isEndless,
  momentText,
  momentTextOfSql,
  PreciseDate,
  sqlOfMoment,
} from "./moment.js";
export { isPathText, noPathText, pathTextRule } from "./path-text.js";
export { dbNull, jsonNull } from "./prisma-nulls.js";
export type {
  Clause,
  CountArgs,
  CreateArgs,
  CreateManyArgs,
  DeleteArgs,
  DeleteManyArgs,
  ReadArgs,
  Row,
  RowChange,
  UniqueArgs,
  UpdateArgs,
  UpdateEachArgs,
  UpdateManyArgs,
} from "./query-args.js";
export { quoteName, quoteTable } from "./quote-name.js";
export { readModels } from "./read-models.js";
export { resourceName } from "./resource-name.js";
export { resourcePath } from "./resource-path.js";
export { type Choice, type ChosenReads, chooseReads } from "./sql/choose-reads.js";
export { chooseWrites } from "./sql/choose-writes.js";
export { inexactFields } from "./sql/exact-ways.js";
export { makeSqlReads } from "./sql/make-sql-reads.js";
export { makeSqlWrites } from "./sql/make-sql-writes.js";
export { ResultTooLarge, type SqlLink, type TextRow } from "./sql-link.js";
export { isLongerThan } from "./text-length.js";
export { withoutEnd } from "./without-end.js";
