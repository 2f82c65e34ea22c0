// Used only by other packages of this repository. Unstable: it changes without a major version.
export { resourcePath } from "@servicekit/prisma/internal";
export { surrogateKeys } from "./caching/surrogate-keys.js";
export type { RowRoute } from "./declarations/declare-row-route.js";
export { mergeModelConfigs, modelModules, toModelConfig } from "./model-config/model-modules.js";
export { makeCheckedModelRouter } from "./model-router.js";
export { recordedRowDocument } from "./openapi/event-documents.js";
export { fieldSchema } from "./resource/body/field-schema.js";
export { configuredModels, omittedModels } from "./resource/config/configured-models.js";
export { hasEvents, isRecorded, recordedModels } from "./resource/config/recorded-changes.js";
export { deletedField } from "./resource/config/soft-delete.js";
export { readKey } from "./resource/key.js";
export { checkModelConfigs } from "./settings.js";
export { applyTenant } from "./tenancy/apply-tenant.js";
export { checkTenantOf } from "./tenancy/check-tenant.js";
export { findTenantModels } from "./tenancy/tenant-models.js";
export { makeTenantValues } from "./tenancy/tenant-rules.js";
export { tenantSchema } from "./tenancy/tenant-schema.js";
export { watchTenant } from "./tenancy/watch-tenant.js";
