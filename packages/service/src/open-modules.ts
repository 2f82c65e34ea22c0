import { authModule } from "@servicekit/auth/settings";
import { mergeLayers } from "@servicekit/config-loader";
import { type ModelConfig, mergeModelConfigs, modelModules, toModelConfig } from "@servicekit/model-router";
import { loadModules, logModuleLoading, type ModuleKind, type ModuleParts } from "@servicekit/modules";
import type { Models } from "@servicekit/orm";
import { isDtoClass, isZodSchema, type Schema } from "@servicekit/router";
import { fileUploadModule } from "@servicekit/uploads/settings";
import type { Logger } from "pino";
import type { ServiceSettings } from "./settings.js";

/** The modules of a service. */
export interface ServiceModules {
  /** By the model's name. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly auth: ModuleParts<Schema> | undefined;
  readonly fileUpload: ModuleParts<Schema> | undefined;
}

/** The modules that belong to no model, by the names that `models` takes for them. */
const otherModules: ReadonlyMap<string, ModuleKind> = new Map<string, ModuleKind>([
  ["auth", authModule],
  ["file-upload", fileUploadModule],
  ["fileUpload", fileUploadModule],
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
): Promise<ServiceModules> {
  const found = await loadModules<Schema>({
    directory: modulesDirectory.path,
    // A model that is called like one of the service's modules has none.
    kinds: [...modelModules(models ?? new Map()), authModule, fileUploadModule],
    // Without a database nobody knows the folders of models.
    refusesOthers: models !== undefined,
    isSchema: (value): value is Schema => isZodSchema(value) || isDtoClass(value),
    log: logModuleLoading(debugging.dynamicLoader, (line) => logger.info(line)),
  });
  const given = givenModules({ modelRouter }, models);
  const foundConfigs = Object.fromEntries(
    [...(models?.values() ?? [])].flatMap(({ name, resource }) => {
      const module = isOther(resource) ? undefined : found.get(resource);
      return module === undefined ? [] : [[name, toModelConfig(module)] as const];
    }),
  );
  return {
    models: models === undefined ? {} : mergeModelConfigs(given.models, foundConfigs),
    auth: mergeParts(given.auth, found.get(authModule.name)),
    fileUpload: mergeParts(given.fileUpload, found.get(fileUploadModule.name)),
  };
}

/** What `service.init({ models })` says alone. */
export function givenModules(
  { modelRouter }: Pick<ServiceSettings, "modelRouter">,
  models: Models | undefined,
): ServiceModules {
  const configs: Record<string, ModelConfig> = {};
  const parts = new Map<ModuleKind, ModuleParts<Schema>>();
  for (const [name, config] of Object.entries(modelRouter.models)) {
    // A model of that name keeps it.
    const other = models?.has(name) ? undefined : otherModules.get(name);
    if (other === undefined) configs[name] = config;
    else parts.set(other, config as ModuleParts<Schema>);
  }
  return { models: configs, auth: parts.get(authModule), fileUpload: parts.get(fileUploadModule) };
}

const isOther = (name: string): boolean => name === authModule.name || name === fileUploadModule.name;

function mergeParts(
  given: ModuleParts<Schema> | undefined,
  found: ModuleParts<Schema> | undefined,
): ModuleParts<Schema> | undefined {
  if (given === undefined || found === undefined) return given ?? found;
  return mergeLayers({ ...given }, { ...found }) as ModuleParts<Schema>;
}
