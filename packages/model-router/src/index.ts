export type { TransformWrite } from "@servicekit/row-writer";
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
export {
  checkModelConfigs,
  defaultModelRouterSettings,
  type ModelConfig,
  type ModelRouterSettings,
} from "./settings.js";
