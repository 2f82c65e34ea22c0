import type { AuthModule } from "@servicekit/auth";
import { authModule, userRules } from "@servicekit/auth/settings";
import {
  loadModules,
  logModuleLoading,
  type ModuleKind,
  type ModuleParts,
  mergeLayers,
} from "@servicekit/config-loader/internal";
import type { StartupIssue } from "@servicekit/core";
import { type IssueList, makeStartupIssue } from "@servicekit/core/internal";
import { findIssues } from "@servicekit/core/schema";
import type { Subscriber } from "@servicekit/jobs/settings";
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
  /** The subscribers to changes, by the model's name; only those of files. */
  readonly subscribers?: Readonly<Record<string, ModuleSubscribers>>;
}

/** The subscribers of a module. */
export interface ModuleSubscribers {
  /** The name of the module. */
  readonly module: string;
  readonly handlers: Readonly<Record<string, Subscriber>>;
}

/** The modules without a model, by their names in `models`. */
const otherModules: ReadonlyMap<string, "auth" | "fileUpload"> = new Map([
  ["auth", "auth"],
  ["file-upload", "fileUpload"],
  ["fileUpload", "fileUpload"],
]);

/**
 * The modules of a service: those of the folder, merged with `service.init({ models })` (contract C44). Without a
 * database only those of the service itself, such as `file-upload`.
 *
 * @param issues receives the models whose access rules are in both places
 * @throws {StartupError} with every misspelled folder, file, export and key
 */
export async function openModules(
  { modulesDirectory, modelRouter, debugging }: ServiceSettings,
  models: Models | undefined,
  logger: Logger,
  issues: IssueList,
): Promise<ServiceModules> {
  const found = await loadModules<Schema>({
    directory: modulesDirectory.path,
    // A model with the name of one of the service's modules cannot have one.
    kinds: [...modelModules(models ?? new Map()), withSchema(authModule), withSchema(fileUploadModule)],
    // Without a database the folders of models are unknown.
    rejectsOthers: models !== undefined,
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
  const subscribers = Object.fromEntries(
    [...(models?.values() ?? [])].flatMap(({ name, resource }) => {
      const { events = {} } = (isOther(resource) ? undefined : found.get(resource)) ?? {};
      return Object.keys(events).length === 0 ? [] : [[name, { module: resource, handlers: events }] as const];
    }),
  );
  issues.addAll(twoAccessRules(given.models, foundConfigs, models));
  return {
    models: models === undefined ? {} : mergeModelConfigs(closedModels(models), given.models, foundConfigs),
    auth: mergeParts(given.auth, found.get(authModule.name)),
    fileUpload: mergeParts(given.fileUpload, found.get(fileUploadModule.name)),
    subscribers,
  };
}

/** Merged access rules could open what one of the two places closes. */
function twoAccessRules(
  given: Readonly<Record<string, ModelConfig>>,
  found: Readonly<Record<string, ModelConfig>>,
  models: Models | undefined,
): StartupIssue[] {
  const both = Object.keys(found).filter((name) => given[name]?.auth !== undefined && found[name]?.auth !== undefined);
  return both.map((name) => {
    const { resource = name } = models?.get(name) ?? {};
    return makeStartupIssue({
      where: `models.${name}.auth`,
      message: `The file ${resource}/${resource}.model of the modules sets auth too. Remove one of them: access rules are not merged.`,
    });
  });
}

/** Only `service.init({ models })`. */
export function givenModules(
  { modelRouter }: Pick<ServiceSettings, "modelRouter">,
  models: Models | undefined,
): ServiceModules {
  const configs: Record<string, ModelConfig> = {};
  const others: { auth?: AuthModule; fileUpload?: FileUploadModule } = {};
  for (const [name, config] of Object.entries(modelRouter.models)) {
    // A model of that name takes precedence.
    const other = models?.has(name) ? undefined : otherModules.get(name);
    if (other === undefined) configs[name] = config;
    // Its contents are validated by the schema of its package.
    else others[other] = config as object;
  }
  return { models: configs, auth: others.auth, fileUpload: others.fileUpload };
}

/** Models that only authentication uses have no generated routes, unless these are enabled by name. */
function closedModels(models: Models): Readonly<Record<string, ModelConfig>> {
  const names = userRules.ownModels.filter((name) => models.has(name));
  return Object.fromEntries(names.map((name) => [name, { operations: { all: false } }]));
}

/** The keys of `models` besides those of models. */
export const otherModuleNames = [authModule.name, fileUploadModule.name] as const;

/** The issues of the modules without a model. */
export function moduleIssues({ auth, fileUpload }: ServiceModules): StartupIssue[] {
  return [
    ...(auth === undefined ? [] : findIssues(auth, authModule.schema, `models.${authModule.name}`)),
    ...(fileUpload === undefined
      ? []
      : findIssues(fileUpload, fileUploadModule.schema, `models.${fileUploadModule.name}`)),
  ];
}

/** A file of the module is validated by the same schema as the configuration in code. */
function withSchema<Kind extends ModuleKind & { readonly schema: z.ZodType }>(kind: Kind): ModuleKind {
  return {
    ...kind,
    checkConfig: (where, config, issues) => issues.addAll(findIssues(config, kind.schema, `${where}: ${kind.name}`)),
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
