import { randomBytes } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { type AuthSettings, readAuthSettings } from "@servicekit/auth/settings";
import { findPackageRoot, readConfig } from "@servicekit/config-loader/internal";
import type { StartFault } from "@servicekit/core";
import { joinOr, makeStartFault, nearestWord } from "@servicekit/core/internal";
import { describeFound } from "@servicekit/core/schema";
import { type McpSettings, readMcpSettings } from "@servicekit/mcp/settings";
import { defaultModelRouterSettings, type ModelConfig, type ModelRouterSettings } from "@servicekit/model-router";
import { type ApiDocsSettings, readApiDocsSettings } from "@servicekit/openapi/settings";
import { toBytes } from "@servicekit/router/settings";
import { readLoadShedding } from "@servicekit/server/settings";
import { type MetricsSettings, readMetricsSettings } from "@servicekit/telemetry/settings";
import { readUploadSettings, type UploadSettings } from "@servicekit/uploads/settings";
import type { RequestHandler } from "express";
import { authFaults } from "./auth-faults.js";
import { configSchema } from "./config-schema.js";
import { databaseUrlFaults } from "./database-url.js";
import { type FileForm, initSource, placeOfInitKey, readInitForm } from "./init-form.js";
import type { LimitsConfig } from "./limits.js";
import { type ModulesDirectory, modulesDirectoryFaults, readModulesDirectory } from "./modules-directory.js";
import { readProxyTrust } from "./proxy-trust.js";
import { type RouterChoices, readRouterChoices } from "./router-choices.js";
import type { MiddlewaresConfig, ServiceConfig, ServiceInitConfig, Usable } from "./service-config.js";
import { defaultShutdown, type ShutdownConfig } from "./shutdown.js";
import { defaultTimeouts, type TimeoutsConfig } from "./timeouts.js";
import { urlOf } from "./url-of.js";
import { commandLine, variablePrefix, variables } from "./variables.js";

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What is around a service: all that it reads beside the configuration it is given (contract C38, C39). */
export interface Surroundings {
  /** @default process.env */
  readonly environment?: Environment;
  /** Where `service.config.*` and the `.env` files are looked for. @default process.cwd() */
  readonly directory?: string;
  /** The arguments of the command line. @default those of the process for `init`, none for `create` */
  readonly argv?: readonly string[];
  /** The script that runs: in `dist`, the modules of `dist` are loaded (contract C44). @default process.argv[1] */
  readonly entry?: string;
}

/** The configuration from all its sources, with every default filled in, frozen. */
export interface ServiceSettings {
  readonly nodeEnv: string;
  readonly welcomeMessage: string;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly database: ServiceConfig["database"];
  /** The root of the package that the service belongs to: the nearest folder with a `package.json`. */
  readonly root: string;
  /** Where modules are looked for (contract C44). */
  readonly modulesDirectory: ModulesDirectory;
  readonly validation: ServiceConfig["validation"];
  /** `undefined` without a block `authentication`; its `enabled` says whether it is on. */
  readonly authentication: AuthSettings | undefined;
  readonly fileUpload: UploadSettings;
  readonly apiDocs: ApiDocsSettings;
  readonly studio: boolean;
  /** Whether lists and reads take `prismaQueryOptions` (contract C22). */
  readonly allowDangerousOrmQueryOptions: boolean;
  readonly middlewares: MiddlewaresConfig;
  readonly additionalMiddlewares: readonly RequestHandler[];
  readonly routers: NonNullable<ServiceConfig["routers"]>;
  readonly disabledRouters: RouterChoices["disabled"];
  readonly replacedRouters: RouterChoices["replaced"];
  readonly use: readonly Usable[];
  /** Changes the Express application before the routes are added. */
  readonly configureApp: ServiceInitConfig["configureApp"];
  /** Runs before the server listens. */
  readonly configureServer: ServiceInitConfig["configureServer"];
  readonly email: ServiceConfig["email"];
  readonly debugging: NonNullable<ServiceConfig["debugging"]>;
  readonly modelRouter: ModelRouterSettings;
  readonly urlBytes: number;
  /** How long a request may have to wait, in milliseconds; `undefined` where nothing is shed. */
  readonly loadShedding: { readonly maxWait: number } | undefined;
  readonly idempotency: ServiceConfig["idempotency"];
  /** How slow a client may be, in both directions. */
  readonly bytesPerSecond: number;
  readonly timeouts: Required<TimeoutsConfig>;
  /** Whether someone said `timeouts.request`; else the server's own limits count too. */
  readonly isRequestTimeConfigured: boolean;
  readonly trustProxy: ServiceConfig["trustProxy"];
  readonly publicUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Milliseconds that the service goes on when it is told to stop, and that running requests have after that. */
  readonly shutdown: Required<ShutdownConfig>;
  /** How many processes serve; `undefined` where this one serves by itself. */
  readonly workers: number | undefined;
  /** Where the figures for Prometheus are; `undefined` where there are none. */
  readonly metrics: MetricsSettings | undefined;
  /** What models may do; `undefined` where they do not ask. */
  readonly mcp: McpSettings | undefined;
  readonly logger: ServiceConfig["logger"];
  /** Of the built-in logger. */
  readonly logLevel: NonNullable<ServiceConfig["logLevel"]>;
  /** The configuration file that was read, if any. */
  readonly file: string | undefined;
  /** What does no harm to the start and yet is told in the log. */
  readonly warnings: readonly string[];
}

/** Settings of which something may be wrong. */
export interface ReadSettings {
  /** Made of what is right of the configuration. */
  readonly settings: ServiceSettings;
  /** Every fault of every source. */
  readonly faults: readonly StartFault[];
}

/**
 * Loads the configuration of a service: arguments over the given object over the file over the environment over the
 * defaults (contract C38). What is wrong in it is told with the faults of models, modules and routes.
 *
 * @throws {StartError} for a file that cannot be read or that fails
 */
export async function readSettings(init: ServiceInitConfig, surroundings: Surroundings): Promise<ReadSettings> {
  const { environment = process.env, directory = process.cwd(), argv = [], entry = process.argv[1] } = surroundings;
  const root = findPackageRoot(directory) ?? path.resolve(directory);
  const form = readInitForm(init);
  const loaded = await readConfig({
    directory,
    baseName: "service",
    schema: configSchema,
    environment,
    variables,
    prefix: variablePrefix,
    argv,
    arguments: commandLine,
    init: form.config as Readonly<Record<string, unknown>>,
    check: (config, read) => [
      ...nodeEnvFaults(read),
      ...databaseUrlFaults(config, read),
      ...authFaults(config, read),
      ...modulesDirectoryFaults(config, root),
    ],
  });
  // Those of the init form are told already, under its own names.
  const others = loaded.faults.filter(({ source }) => form.faults.length === 0 || source !== initSource);
  const faults = [...form.faults, ...others].map(withPlace);
  const found = {
    environment: loaded.environment,
    file: loaded.file,
    warnings: loaded.warnings,
    directory,
    root,
    entry,
  };
  return { settings: complete(loaded.config as unknown as ServiceConfig, form, found, faults), faults };
}

/** Any other word would give a service that is half of two kinds: without the guards of production, without its own. */
function nodeEnvFaults({ NODE_ENV: found = "" }: Environment): StartFault[] {
  const known = ["development", "production", "test"];
  if (known.includes(found)) return [];
  const nearest = nearestWord(found, known);
  const expected = joinOr(known.map((name) => JSON.stringify(name)));
  return [
    makeStartFault({
      where: "NODE_ENV",
      found: describeFound(found),
      expected,
      ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
    }),
  ];
}

/** A key of the init form that stands in a file is told where it belongs. */
function withPlace(fault: StartFault): StartFault {
  const { where, source } = fault;
  const message = source === undefined || source === initSource ? undefined : placeOfInitKey(where);
  return message === undefined ? fault : { ...fault, message };
}

/** What was found around the configuration. */
interface Found {
  readonly environment: Environment;
  readonly file: string | undefined;
  readonly warnings: readonly string[];
  readonly directory: string;
  readonly root: string;
  readonly entry: string | undefined;
}

function complete(config: ServiceConfig, form: FileForm, found: Found, faults: readonly StartFault[]): ServiceSettings {
  const { environment, file, warnings, directory, root, entry } = found;
  const { limits = {}, routers = {}, port = 8000, host = "localhost" } = config;
  const authentication = withSecret(config.authentication, faults);
  const nodeEnv = environment.NODE_ENV || "development";
  const middlewares = withBodyLimits(config.middlewares ?? {}, limits);
  const allowDangerousOrmQueryOptions = config.request?.parameters?.allowDangerousOrmQueryOptions ?? false;
  const choices = readRouterChoices(routers);
  const {
    page,
    include,
    bulkItems,
    body: _body,
    response,
    bodyValues: _values,
    bytesPerSecond: _rate,
    ...query
  } = limits;
  const defaults = defaultModelRouterSettings;
  const { queryParser } = middlewares;
  return Object.freeze({
    nodeEnv,
    welcomeMessage: config.welcomeMessage ?? "Welcome. Every model of this API has its routes here.",
    port,
    host,
    databaseUrl: environment.DATABASE_URL || undefined,
    database: config.database,
    root,
    modulesDirectory: readModulesDirectory(config.modulesDirectory, { root, entry }),
    validation: config.validation,
    authentication: authentication === undefined ? undefined : readAuthSettings(authentication, { nodeEnv }),
    fileUpload: readUploadSettings(config.fileUpload, {
      directory,
      publicUrl: config.publicUrl ?? urlOf(host, port),
    }),
    apiDocs: readApiDocsSettings(config.apidocs, { nodeEnv }),
    studio: config.studio ?? nodeEnv === "development",
    allowDangerousOrmQueryOptions,
    middlewares,
    additionalMiddlewares: form.additionalMiddlewares,
    routers,
    disabledRouters: choices.disabled,
    replacedRouters: choices.replaced,
    use: [...form.use, ...(routers.additional ?? [])],
    configureApp: form.configureApp,
    configureServer: form.configureServer,
    email: config.email,
    debugging: config.debugging ?? {},
    modelRouter: {
      strict: routers.strict ?? defaults.strict,
      // Those of modules without a model are told apart when the models are known.
      models: (config.models ?? {}) as Readonly<Record<string, ModelConfig>>,
      page: { ...defaults.page, ...page },
      bulkItems: bulkItems ?? defaults.bulkItems,
      responseBytes: response === undefined ? defaults.responseBytes : toBytes(response),
      include: { ...defaults.include, ...include },
      query: { ...defaults.query, ...query },
      allowDangerousOrmQueryOptions,
      parseDoubleUnderscore: typeof queryParser === "object" ? (queryParser.parseDoubleUnderscore ?? true) : true,
    },
    urlBytes: limits.urlBytes ?? defaults.query.urlBytes,
    loadShedding: readLoadShedding(config.loadShedding),
    idempotency: config.idempotency,
    bytesPerSecond: limits.bytesPerSecond ?? 500,
    timeouts: { ...defaultTimeouts, ...config.timeouts },
    isRequestTimeConfigured: config.timeouts?.request !== undefined,
    trustProxy: readProxyTrust(config.trustProxy),
    publicUrl: config.publicUrl,
    redisUrl: config.redis?.url,
    shutdown: { ...defaultShutdown(nodeEnv), ...config.shutdown },
    workers: config.workers === "auto" ? os.availableParallelism() : config.workers,
    metrics: readMetricsSettings(config.metrics),
    mcp: readMcpSettings(config.mcp),
    logger: config.logger,
    logLevel: config.logLevel ?? "info",
    file,
    warnings,
  });
}

/** Where the start fails for its secret, the rest of authentication is looked at with one that nobody will ever use. */
function withSecret(config: ServiceConfig["authentication"], faults: readonly StartFault[]): typeof config {
  if (config === undefined || !faults.some(({ where }) => where.startsWith("authentication.jwt"))) return config;
  return { ...config, jwt: { ...config.jwt, secret: randomBytes(32).toString("hex") } };
}

/** `limits.body` and `limits.bodyValues` are those of the global JSON parser where it has none of its own. */
function withBodyLimits(
  middlewares: MiddlewaresConfig,
  { body: limit, bodyValues: values }: LimitsConfig,
): MiddlewaresConfig {
  const { serverJson } = middlewares;
  if (serverJson === false || typeof serverJson === "function") return middlewares;
  const given = { ...(limit === undefined ? {} : { limit }), ...(values === undefined ? {} : { values }) };
  return Object.keys(given).length === 0 ? middlewares : { ...middlewares, serverJson: { ...given, ...serverJson } };
}
