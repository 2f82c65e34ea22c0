export type { ModelAccess } from "./access/operation-access.js";
export { readableWhere } from "./access/request-access.js";
export type { ChangeFeed, FeedBatch, FeedChange, FeedPosition, FeedSubscription } from "./events/change-feed.js";
export type { IndexHint, IndexHintOptions } from "./index-hints/index-hints.js";
export type { AnyRow, Hook, HookBody, HookData, HookLocals, ModelHooks } from "./model-config/hook.js";
export type { HookName } from "./model-config/hook-names.js";
export type { ModelAuth, OperationAccess, RowFilter, RowRule } from "./model-config/model-auth.js";
export { defineModel } from "./model-config/model-config.js";
export type { Resolver, SchemaName } from "./model-config/model-schemas.js";
export { type ModelRouter, type ModelRouterOptions, makeModelRouter, type VisibleModel } from "./model-router.js";
export type { OmittedRoute } from "./offered-routes/left-out.js";
export type { HistorySource, RecordedChange, RecordedChanges } from "./operations/visible-changes.js";
export { isDryRun } from "./request/dry-run-state.js";
export type { OrmQuery } from "./request/request-state.js";
export type { RelationObject, WriteMode } from "./resource/body/relation-act.js";
export type {
  RelationAction,
  RelationLink,
  WritableModel,
  WritableModels,
  WritableRelation,
} from "./resource/body/writable-model.js";
export type { ComputedFieldConfig, ComputedFieldConfigs, ComputedSql } from "./resource/config/computed-config.js";
export { computedModels } from "./resource/config/computed-models.js";
export type { OperationName } from "./resource/config/of-operation.js";
export type { Operation } from "./resource/config/operation.js";
export type {
  ChangeOptions,
  ChangeRetentionConfig,
  IncludeLimits,
  ResourceConfig,
  ResourceSettings,
} from "./resource/config/resource-config.js";
export type { ResponseCacheConfig } from "./resource/config/response-cache-config.js";
export type { Where } from "./resource/filter/where.js";
export type { KeyWhere } from "./resource/key.js";
export type { Resource, Resources } from "./resource/resource.js";
export type { Row } from "./resource/values/to-json.js";
export { defaultModelRouterSettings, type ModelConfig, type ModelRouterSettings } from "./settings.js";
export type { TenantConfig } from "./tenancy/tenant-config.js";
export type { TransformWrite } from "./writes/plan-row.js";
export type { NewValues } from "./writes/write-scope.js";
