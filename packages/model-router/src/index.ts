export { configuredModels } from "./access/configured-models.js";
export type { ModelAccess } from "./access/operation-access.js";
export { readableWhere } from "./access/request-access.js";
export { fieldSchema } from "./body/field-schema.js";
export type { ModelAuth, OperationAccess, RowFilter, RowRule } from "./model-config/model-auth.js";
export { defineModel } from "./model-config/model-config.js";
export type { SchemaName } from "./model-config/model-schemas.js";
export { type ModelRouter, type ModelRouterOptions, makeModelRouter, type VisibleModel } from "./model-router.js";
export type { Resolver } from "./module-schemas/row-schemas.js";
export { type LoadModulesOptions, loadModules, mergeModelConfigs } from "./modules/load-modules.js";
export { logModuleLoading, type ModuleEvent, type ModuleLogSettings } from "./modules/module-event.js";
export type { LoadedModules, ModuleParts } from "./modules/module-parts.js";
export { type Operation, operationNames } from "./operations/operation.js";
export type { TransformWrite } from "./operations/rows/plan-row.js";
export type { AnyRow, Hook, HookBody, HookData, HookLocals, ModelHooks } from "./pipeline/hook.js";
export { authHookNames, fileUploadHookNames, type HookName, modelHookNames } from "./pipeline/hook-names.js";
export type { OrmQuery } from "./pipeline/model-request.js";
export type {
  DefaultListOptions,
  DefaultOrder,
  DefaultReadOptions,
  FieldNames,
  ModelQueryDefaults,
} from "./query/default-options.js";
export { resourcePath } from "./resource-path.js";
export {
  checkModelConfigs,
  defaultModelRouterSettings,
  type ModelConfig,
  type ModelRouterSettings,
  type PageSize,
} from "./settings.js";
