export type { Layer } from "./layer.js";
export { type LoadConfigOptions, type LoadedConfig, loadConfig, type ReadConfig } from "./load-config.js";
export type { ConfigObject } from "./merge-layers.js";
export type { Argument, ArgumentTable } from "./read-arguments.js";
export type { ValueType } from "./read-value.js";
export type { Environment, Variable, VariableTable } from "./read-variables.js";
