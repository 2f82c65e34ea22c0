import {
  type LoadedModules,
  loadModules,
  logModuleLoading,
  type ModelConfig,
  type ModuleParts,
  mergeModelConfigs,
} from "@servicekit/model-router";
import type { Models } from "@servicekit/orm";
import type { Logger } from "pino";
import type { ServiceSettings } from "./settings.js";

/** The two modules that belong to no model, by the names that `models` takes for them. */
const otherModules: ReadonlyMap<string, "auth" | "fileUpload"> = new Map([
  ["auth", "auth"],
  ["file-upload", "fileUpload"],
  ["fileUpload", "fileUpload"],
]);

/**
 * The modules of a service: those of the folder, with what `service.init({ models })` says laid over them (contract C44).
 * Without a database only those of the service itself, such as `file-upload`.
 *
 * @throws {StartError} with every misspelt folder, file, export and key
 */
export async function openModules(
  { modulesDirectory, modelRouter, debugging }: ServiceSettings,
  models: Models | undefined,
  logger: Logger,
): Promise<LoadedModules> {
  const log = logModuleLoading(debugging.dynamicLoader, (line) => logger.info(line));
  const found = await loadModules({ directory: modulesDirectory.path, models, log });
  const given: { models: Record<string, ModelConfig>; auth?: ModuleParts; fileUpload?: ModuleParts } = { models: {} };
  for (const [name, config] of Object.entries(modelRouter.models)) {
    // A model of that name keeps it.
    const other = models?.has(name) ? undefined : otherModules.get(name);
    if (other === undefined) given.models[name] = config;
    else given[other] = config as ModuleParts;
  }
  const auth = mergeParts(given.auth, found.auth);
  const fileUpload = mergeParts(given.fileUpload, found.fileUpload);
  return {
    models: models === undefined ? {} : mergeModelConfigs(given.models, found.models),
    ...(auth === undefined ? {} : { auth }),
    ...(fileUpload === undefined ? {} : { fileUpload }),
  };
}

function mergeParts(given: ModuleParts | undefined, found: ModuleParts | undefined): ModuleParts | undefined {
  if (given === undefined || found === undefined) return given ?? found;
  const { part } = mergeModelConfigs({ part: given as ModelConfig }, { part: found as ModelConfig });
  return part as ModuleParts;
}
