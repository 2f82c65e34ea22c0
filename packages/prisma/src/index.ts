export { fieldCondition } from "./conditions/field-condition.js";
export { type FieldOperator, operatorsOf } from "./conditions/operators-of.js";
export type { ChangeLog, RowChanged } from "./database/change-log.js";
export type { Connections } from "./database/connections.js";
export type { Delegate } from "./database/delegate.js";
export type {
  Executor,
  JsonResult,
  MakeExecutor,
  Query,
  ReadQuery,
  Result,
  RowsResult,
  SeenModels,
  WriteQuery,
} from "./database/executor.js";
export type { InexactText, ModelColumn } from "./database/inexact-texts.js";
export {
  type Database,
  type DatabaseSettings,
  makeDatabase,
  type TransactionOptions,
} from "./database/make-database.js";
export type { ModelEngine, ModelEngines } from "./database/model-engine.js";
export type { PrismaClientLike, PrismaHandle } from "./database/prisma-client-like.js";
export type {
  ComputedField,
  EnumField,
  Field,
  FieldAnnotations,
  Model,
  Models,
  RelationField,
  ScalarField,
  ScalarType,
  StoredField,
  UniqueKey,
  UnsupportedField,
} from "./models/model.js";
export type { ModelsData } from "./models/models-data.js";
export { readModels } from "./models/read-models.js";
export type { SqlColumn, SqlExpression, SqlPart } from "./models/sql-expression.js";
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
} from "./queries/query-args.js";
export type { ReadDatabase, ReadDelegate } from "./replicas/read-database.js";
