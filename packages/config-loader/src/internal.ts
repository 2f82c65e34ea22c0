// Used only by other packages of this repository. Unstable: it changes without a major version.

export { defaultExport } from "./default-export.js";
export { explainExceptions } from "./explain-exceptions.js";
export { findPackageRoot } from "./find-package-root.js";
export { importModule } from "./import-module.js";
export { inspectProgram, isProgramInspected } from "./inspected-program.js";
export { readConfig } from "./load-config.js";
export { mergeLayers } from "./merge-layers.js";
export { loadModules } from "./modules/load-modules.js";
export { logModuleLoading } from "./modules/module-event.js";
export type { ModuleKind } from "./modules/module-kind.js";
export type { ModuleParts } from "./modules/module-parts.js";
export { findConfigFile } from "./sources/find-config-file.js";
export { importConfigFile } from "./sources/import-config-file.js";
export { readEnvironment } from "./sources/read-environment.js";
export { schemaVariables } from "./sources/schema-variables.js";
