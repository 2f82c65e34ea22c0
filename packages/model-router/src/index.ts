export { resourcePath } from "@servicekit/prisma";
export type { ModelAccess } from "./access/operation-access.js";
export { readableWhere } from "./access/request-access.js";
export type { LeftOutRoute } from "./left-out.js";
export type { AnyRow, Hook, HookBody, HookData, HookLocals, ModelHooks } from "./model-config/hook.js";
export { type HookName, modelHookNames } from "./model-config/hook-names.js";
export type { ModelAuth, OperationAccess, RowFilter, RowRule } from "./model-config/model-auth.js";
export { defineModel } from "./model-config/model-config.js";
export { mergeModelConfigs, modelModules, toModelConfig } from "./model-config/model-modules.js";
export type { Resolver, SchemaName } from "./model-config/model-schemas.js";
export {
  type ModelRouter,
  type ModelRouterOptions,
  makeCheckedModelRouter,
  makeModelRouter,
  type VisibleModel,
} from "./model-router.js";
export type { OrmQuery } from "./request-state.js";
export { fieldSchema } from "./resource/body/field-schema.js";
export {
  closedAct,
  isOpenFor,
  type RelationObject,
  readAct,
  relationItems,
  type WriteMode,
  withoutFlags,
} from "./resource/body/relation-act.js";
export { canBeEmpty, tooManyRows } from "./resource/body/relation-schema.js";
export { deepestWrite, neededKeys } from "./resource/body/row-schema.js";
export {
  makeWritableModels,
  operationOf,
  type RelationAct,
  type RelationLink,
  type WritableModel,
  type WritableModels,
  type WritableRelation,
} from "./resource/body/writable-model.js";
export { configuredModels, omittedModels } from "./resource/configured-models.js";
export { allWhere, type Where } from "./resource/filter/where.js";
export { type KeyWhere, keyOfRow, keyWhere } from "./resource/key.js";
export { type OperationWord, ofOperation } from "./resource/of-operation.js";
export { type Operation, operations } from "./resource/operation.js";
export { resourcePaths } from "./resource/path.js";
export { makeResources, type Resource, type Resources } from "./resource/resource.js";
export type { IncludeLimits, ResourceConfig, ResourceSettings } from "./resource/resource-config.js";
export { type Row, toJsonValue } from "./resource/values/to-json.js";
export {
  checkModelConfigs,
  defaultModelRouterSettings,
  type ModelConfig,
  type ModelRouterSettings,
} from "./settings.js";
export type { TransformWrite } from "./writes/plan-row.js";
