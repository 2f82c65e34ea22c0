export { resourcePath } from "@servicekit/prisma";
export {
  type BodyOperation,
  type BodySchemas,
  type GivenSchemas,
  makeBodySchemas,
  type RowSchemas,
} from "./body/body-schemas.js";
export { fieldSchema } from "./body/field-schema.js";
export { placeOfList } from "./body/list-in-data.js";
export { type PassOn, passOn, passOnLater } from "./body/pass-on.js";
export { readFormRow } from "./body/read-form-row.js";
export {
  closedAct,
  isOpenFor,
  type RelationObject,
  readAct,
  relationItems,
  type WriteMode,
  withoutFlags,
} from "./body/relation-act.js";
export { canBeEmpty, tooManyRows } from "./body/relation-schema.js";
export { deepestWrite, type NeededKey, neededKeys } from "./body/row-schema.js";
export {
  makeWritableModels,
  operationOf,
  type RelationAct,
  type RelationLink,
  type UserFacts,
  type WritableModel,
  type WritableModels,
  type WritableRelation,
} from "./body/writable-model.js";
export { configuredModels, omittedModels } from "./configured-models.js";
export { modelErrors } from "./errors.js";
export { certain } from "./filter/certain.js";
export { filterCost } from "./filter/cost.js";
export {
  allOf,
  anyOf,
  condition,
  everyRow,
  type Filter,
  noRow,
  notOf,
  opaque,
  type Quantifier,
  related,
} from "./filter/filter.js";
export { goesThroughRelation } from "./filter/goes-through-relation.js";
export { guard, type ReadableRows } from "./filter/guard.js";
export { QueryFaults } from "./filter/query-faults.js";
export { readRowFilter, readWhere } from "./filter/read-where.js";
export { isCriterion, type Scope, scopeOf } from "./filter/scope.js";
export { toWhere } from "./filter/to-where.js";
export { allWhere, type Where } from "./filter/where.js";
export { isOffered, readOperation } from "./is-offered.js";
export { type KeyWhere, keyOfRow, keyText, keyWhere, readKey, writeKey } from "./key.js";
export { type OperationWord, ofOperation, operationWords } from "./of-operation.js";
export { hasOperation, type Operation, operationNames, operations } from "./operation.js";
export { resourcePaths } from "./path.js";
export { writeSelect } from "./prisma-options/write-select.js";
export { writeCursor } from "./query/cursor.js";
export { includeCost } from "./query/include-cost.js";
export { readBulkFilter } from "./query/read-bulk-filter.js";
export { type ListQuery, type QueryContext, readListQuery } from "./query/read-list-query.js";
export { readOneQuery } from "./query/read-one-query.js";
export { makeResources, type Resource, type Resources } from "./resource.js";
export type {
  DefaultListOptions,
  DefaultOrder,
  DefaultReadOptions,
  FieldNames,
  IncludeLimits,
  ModelQueryDefaults,
  PageSize,
  ResourceConfig,
  ResourceSettings,
} from "./resource-config.js";
export type { Select } from "./shown.js";
export { type Row, toJsonField, toJsonRow, toJsonRows, toJsonValue } from "./values/to-json.js";
export { makeViews, type View } from "./view.js";
