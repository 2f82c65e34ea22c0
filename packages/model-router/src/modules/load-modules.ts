import { performance } from "node:perf_hooks";
import { importModule, mergeLayers } from "@servicekit/config-loader";
import { StartError } from "@servicekit/errors";
import type { Models } from "@servicekit/orm";
import { type FaultList, makeFaultList } from "../model-config/fault-list.js";
import type { ModelConfig } from "../model-config/model-config.js";
import { type FoundModule, findModules, shown } from "./find-modules.js";
import type { ModuleEvent } from "./module-event.js";
import type { LoadedModules, ModuleParts } from "./module-parts.js";
import { moduleTargets } from "./module-target.js";
import { readComponent } from "./read-component.js";

/** Where modules are, and what they are for. */
export interface LoadModulesOptions {
  /** The folder of the modules; one that is not there has none. */
  readonly directory: string;
  /** `undefined` where there is no database: then the folders of models are left alone. */
  readonly models: Models | undefined;
  readonly log?: (event: ModuleEvent) => void;
}

/**
 * Finds and loads the modules of a folder by their file names (contract C44), TypeScript too.
 *
 * @throws {StartError} with every misspelt folder, file, export and key, and every file that fails, at its own line
 */
export async function loadModules({ directory, models, log = () => {} }: LoadModulesOptions): Promise<LoadedModules> {
  const faults = makeFaultList();
  const found = await findModules(directory, {
    targets: moduleTargets(models ?? new Map()),
    hasModels: models !== undefined,
    faults,
    log,
  });
  const loaded: { models: Record<string, ModelConfig>; auth?: ModuleParts; fileUpload?: ModuleParts } = { models: {} };
  for (const module of found) {
    const parts = await loadModule(module, faults, log);
    const { name, model } = module.target;
    if (model !== undefined) loaded.models[model.name] = toModelConfig(parts, name, faults);
    else if (name === "auth") loaded.auth = parts;
    else loaded.fileUpload = parts;
  }
  faults.throwIfAny();
  return loaded;
}

async function loadModule(
  { target, files }: FoundModule,
  faults: FaultList,
  log: (event: ModuleEvent) => void,
): Promise<ModuleParts> {
  const parts: ModuleParts[] = [];
  for (const [component, file] of files) {
    const start = performance.now();
    try {
      const read = readComponent(component, await importModule(file), target, shown(file), faults);
      parts.push(read.parts);
      const milliseconds = performance.now() - start;
      log({ kind: "loaded", module: target.name, component, file: shown(file), names: read.names, milliseconds });
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      for (const { message } of error.faults) faults.add(shown(file), message);
    }
  }
  return Object.assign({}, ...parts) as ModuleParts;
}

/** A module's files as one configuration; what `<model>.model` says too is told twice. */
function toModelConfig({ config = {}, ...files }: ModuleParts, name: string, faults: FaultList): ModelConfig {
  const own = config as Readonly<Record<string, unknown>>;
  for (const [key, given] of Object.entries(files)) {
    const both = key === "router" ? [key] : Object.keys(given);
    const before = (key === "router" ? own : own[key]) as Readonly<Record<string, unknown>> | undefined;
    for (const one of both) {
      if (before?.[one] === undefined) continue;
      faults.add(
        `module ${name}`,
        `${name}.model gives ${one} under ${key}, and a file of its own does too; keep one.`,
      );
    }
  }
  return mergeLayers(files, config) as ModelConfig;
}

/**
 * Lays configurations of models over each other, the highest first: objects merge, everything else replaces, so a hook
 * that `service.init` gives takes the place of the same hook of a module (contract C38, C44).
 */
export function mergeModelConfigs(
  ...layers: readonly Readonly<Record<string, ModelConfig>>[]
): Readonly<Record<string, ModelConfig>> {
  return mergeLayers(...layers) as Readonly<Record<string, ModelConfig>>;
}
