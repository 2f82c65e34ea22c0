import type { AuthModule } from "@servicekit/auth";
import { authModule, userFacts } from "@servicekit/auth/settings";
import {
  loadModules,
  logModuleLoading,
  type ModuleKind,
  type ModuleParts,
  mergeLayers,
} from "@servicekit/config-loader/internal";
import type { StartFault } from "@servicekit/core";
import { findFaults } from "@servicekit/core/schema";
import { type ModelConfig } from "@servicekit/model-router";
import { mergeModelConfigs, modelModules, toModelConfig } from "@servicekit/model-router/internal";
import type { Models } from "@servicekit/prisma";
import { type Schema } from "@servicekit/router";
import { isDtoClass, isZodSchema } from "@servicekit/router/internal";
import type { FileUploadModule } from "@servicekit/uploads";
import { fileUploadModule } from "@servicekit/uploads/settings";
import type { Logger } from "pino";
import type { z } from "zod";
import type { ServiceSettings } from "../config/settings.js";

/** The modules of a service. */
export interface ServiceModules {
  /** By the model's name. */
  readonly models: Readonly<Record<string, ModelConfig>>;
  readonly auth: AuthModule | undefined;
  readonly fileUpload: FileUploadModule | undefined;
}

/** The modules that belong to no model, by the names that `models` takes for them. */
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
): Promise<ServiceModules> {
  const found = await loadModules<Schema>({
    directory: modulesDirectory.path,
    // A model that is called like one of the service's modules has none.
    kinds: [...modelModules(models ?? new Map()), withSchema(authModule), withSchema(fileUploadModule)],
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
    models: models === undefined ? {} : mergeModelConfigs(closedModels(models), given.models, foundConfigs),
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
  const others: { auth?: AuthModule; fileUpload?: FileUploadModule } = {};
  for (const [name, config] of Object.entries(modelRouter.models)) {
    // A model of that name keeps it.
    const other = models?.has(name) ? undefined : otherModules.get(name);
    if (other === undefined) configs[name] = config;
    // What stands in it is checked by the schema of its owner.
    else others[other] = config as object;
  }
  return { models: configs, auth: others.auth, fileUpload: others.fileUpload };
}

/** What authentication keeps for itself has no generated routes, unless they are opened by name. */
function closedModels(models: Models): Readonly<Record<string, ModelConfig>> {
  const names = userFacts.ownModels.filter((name) => models.has(name));
  return Object.fromEntries(names.map((name) => [name, { operations: { all: false } }]));
}

/** The names that `models` takes besides those of models. */
export const otherModuleNames = [authModule.name, fileUploadModule.name] as const;

/** The faults of the modules that belong to no model. */
export function moduleFaults({ auth, fileUpload }: ServiceModules): StartFault[] {
  return [
    ...(auth === undefined ? [] : findFaults(auth, authModule.schema, `models.${authModule.name}`)),
    ...(fileUpload === undefined
      ? []
      : findFaults(fileUpload, fileUploadModule.schema, `models.${fileUploadModule.name}`)),
  ];
}

/** A file of the module is held against the same schema as what stands in code. */
function withSchema<Kind extends ModuleKind & { readonly schema: z.ZodType }>(kind: Kind): ModuleKind {
  return {
    ...kind,
    checkConfig: (where, config, faults) => faults.addAll(findFaults(config, kind.schema, `${where}: ${kind.name}`)),
  };
}

const isOther = (name: string): boolean => name === authModule.name || name === fileUploadModule.name;

function mergeParts<Module extends object>(
  given: Module | undefined,
  found: ModuleParts<Schema> | undefined,
): Module | undefined {
  if (found === undefined) return given;
  const { config = {}, ...files } = found;
  return mergeLayers({ ...given }, files, config) as Module;
}
