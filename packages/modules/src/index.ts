export type { Component } from "./component.js";
export { type LoadedModules, type LoadModulesOptions, loadModules } from "./load-modules.js";
export { logModuleLoading, type ModuleEvent, type ModuleLogSettings } from "./module-event.js";
export type { ModuleKind } from "./module-kind.js";
export type { ModuleParts } from "./module-parts.js";
export type { IsSchema } from "./read-component.js";
