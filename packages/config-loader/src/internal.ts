// What only other packages of this repository use. Unstable: it changes without a major version.
export { findConfigFile } from "./find-config-file.js";
export { findPackageRoot } from "./find-package-root.js";
export { importConfigFile } from "./import-config-file.js";
export { importModule } from "./import-module.js";
export { readConfig } from "./load-config.js";
export { mergeLayers } from "./merge-layers.js";
export { loadModules } from "./modules/load-modules.js";
export { logModuleLoading } from "./modules/module-event.js";
export type { ModuleKind } from "./modules/module-kind.js";
export type { ModuleParts } from "./modules/module-parts.js";
export { readEnvironment } from "./read-environment.js";
export { schemaVariables } from "./schema-variables.js";
