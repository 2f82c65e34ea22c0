import { performance } from "node:perf_hooks";
import { StartError } from "@servicekit/core";
import { type FaultList, makeFaultList } from "@servicekit/core/internal";
import { importModule } from "../import-module.js";
import { type FoundModule, findModules, shown } from "./find-modules.js";
import type { ModuleEvent } from "./module-event.js";
import type { ModuleKind } from "./module-kind.js";
import type { ModuleParts } from "./module-parts.js";
import { type IsSchema, readComponent } from "./read-component.js";

/** Where modules are, and what they are for. */
export interface LoadModulesOptions<Schema> {
  /** The folder of the modules; one that is not there has none. */
  readonly directory: string;
  /** The modules that there may be; of two with one name the last counts. */
  readonly kinds: readonly ModuleKind[];
  /** Whether a folder that is none of the kinds, but looks like a module, is a fault. @default true */
  readonly refusesOthers?: boolean;
  readonly isSchema: IsSchema<Schema>;
  readonly log?: (event: ModuleEvent) => void;
}

/** The modules that were found, by name. */
export type LoadedModules<Schema> = ReadonlyMap<string, ModuleParts<Schema>>;

/**
 * Finds and loads the modules of a folder by their file names (contract C44), TypeScript too.
 *
 * @throws {StartError} with every misspelt folder, file, export and key, and every file that fails, at its own line
 */
export async function loadModules<Schema>(options: LoadModulesOptions<Schema>): Promise<LoadedModules<Schema>> {
  const { directory, kinds, refusesOthers = true, isSchema, log = () => {} } = options;
  const faults = makeFaultList();
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const found = await findModules(directory, { kinds: byName, refusesOthers, faults, log });
  const loaded = new Map<string, ModuleParts<Schema>>();
  for (const module of found) loaded.set(module.kind.name, await loadModule(module, isSchema, faults, log));
  faults.throwIfAny();
  return loaded;
}

async function loadModule<Schema>(
  { kind, files }: FoundModule,
  isSchema: IsSchema<Schema>,
  faults: FaultList,
  log: (event: ModuleEvent) => void,
): Promise<ModuleParts<Schema>> {
  const parts: ModuleParts<Schema>[] = [];
  for (const [component, file] of files) {
    const start = performance.now();
    try {
      const read = readComponent(component, await importModule(file), { kind, isSchema, where: shown(file), faults });
      parts.push(read.parts);
      const milliseconds = performance.now() - start;
      log({ kind: "loaded", module: kind.name, component, file: shown(file), names: read.names, milliseconds });
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      for (const { message } of error.faults) faults.add(shown(file), message);
    }
  }
  const whole = Object.assign({}, ...parts) as ModuleParts<Schema>;
  kind.checkParts?.(whole, faults);
  return whole;
}
