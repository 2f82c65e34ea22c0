// Used only by other packages of this repository. Unstable: it changes without a major version.
export { resourcePath } from "@servicekit/prisma/internal";
export { mergeModelConfigs, modelModules, toModelConfig } from "./model-config/model-modules.js";
export { makeCheckedModelRouter } from "./model-router.js";
export { fieldSchema } from "./resource/body/field-schema.js";
export { configuredModels, omittedModels } from "./resource/configured-models.js";
export { checkModelConfigs } from "./settings.js";
export { applyTenant } from "./tenancy/apply-tenant.js";
export { makeTenantValues } from "./tenancy/tenant-rules.js";
export { tenantSchema } from "./tenancy/tenant-schema.js";
