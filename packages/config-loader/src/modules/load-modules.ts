import { performance } from "node:perf_hooks";
import { StartupError } from "@servicekit/core";
import { type IssueList, makeIssueList } from "@servicekit/core/internal";
import { importModule } from "../import-module.js";
import { type FoundModule, findModules, shown } from "./find-modules.js";
import type { ModuleEvent } from "./module-event.js";
import type { ModuleKind } from "./module-kind.js";
import type { ModuleParts } from "./module-parts.js";
import { type IsSchema, readComponent } from "./read-component.js";

/** The location and the kinds of modules. */
export interface LoadModulesOptions<Schema> {
  /** The folder of the modules. A missing folder has none. */
  readonly directory: string;
  /** The possible modules; of two with one name the last counts. */
  readonly kinds: readonly ModuleKind[];
  /** Whether an unknown folder that looks like a module is an error. @default true */
  readonly rejectsOthers?: boolean;
  readonly isSchema: IsSchema<Schema>;
  readonly log?: (event: ModuleEvent) => void;
}

/** The loaded modules, by name. */
export type LoadedModules<Schema> = ReadonlyMap<string, ModuleParts<Schema>>;

/**
 * Finds and loads the modules of a folder by their file names (contract C44), including TypeScript.
 *
 * @throws {StartupError} with every misspelled folder, file, export and key, and the position of every file that fails
 */
export async function loadModules<Schema>(options: LoadModulesOptions<Schema>): Promise<LoadedModules<Schema>> {
  const { directory, kinds, rejectsOthers = true, isSchema, log = () => {} } = options;
  const issues = makeIssueList();
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const found = await findModules(directory, { kinds: byName, rejectsOthers, issues, log });
  const loaded = new Map<string, ModuleParts<Schema>>();
  for (const module of found) loaded.set(module.kind.name, await loadModule(module, isSchema, issues, log));
  issues.throwIfAny();
  return loaded;
}

async function loadModule<Schema>(
  { kind, files }: FoundModule,
  isSchema: IsSchema<Schema>,
  issues: IssueList,
  log: (event: ModuleEvent) => void,
): Promise<ModuleParts<Schema>> {
  const parts: ModuleParts<Schema>[] = [];
  for (const [component, file] of files) {
    const start = performance.now();
    try {
      const read = readComponent(component, await importModule(file), { kind, isSchema, where: shown(file), issues });
      parts.push(read.parts);
      const milliseconds = performance.now() - start;
      log({ kind: "loaded", module: kind.name, component, file: shown(file), names: read.names, milliseconds });
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      for (const { message } of error.issues) issues.add(shown(file), message);
    }
  }
  const merged = Object.assign({}, ...parts) as ModuleParts<Schema>;
  kind.checkParts?.(merged, issues);
  return merged;
}
