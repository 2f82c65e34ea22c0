export type { Layer } from "./layer.js";
export { type LoadConfigOptions, type LoadedConfig, loadConfig, type ReadConfig } from "./load-config.js";
export type { ConfigObject } from "./merge-layers.js";
export type { Argument, ArgumentTable } from "./sources/read-arguments.js";
export type { ValueType } from "./sources/read-value.js";
export type { Environment, Variable, VariableTable } from "./sources/read-variables.js";
