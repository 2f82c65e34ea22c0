import { randomBytes } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { type AuthSettings, readAuthSettings } from "@servicekit/auth/settings";
import { findPackageRoot, readConfig } from "@servicekit/config-loader/internal";
import type { StartupIssue } from "@servicekit/core";
import { joinOr, makeStartupIssue, nearestWord } from "@servicekit/core/internal";
import { describeFound } from "@servicekit/core/schema";
import type { JobsConfig } from "@servicekit/jobs/settings";
import { type McpSettings, readMcpSettings } from "@servicekit/mcp/settings";
import { defaultModelRouterSettings, type ModelConfig, type ModelRouterSettings } from "@servicekit/model-router";
import { type ApiDocsSettings, readApiDocsSettings } from "@servicekit/openapi/settings";
import { toBytes } from "@servicekit/router/settings";
import { readLoadShedding } from "@servicekit/server/settings";
import { type MetricsSettings, readMetricsSettings } from "@servicekit/telemetry/settings";
import { readUploadSettings, type UploadSettings } from "@servicekit/uploads/settings";
import { readWebhooksSettings, type WebhooksSettings } from "@servicekit/webhooks/settings";
import type { RequestHandler } from "express";
import { authIssues } from "./auth-issues.js";
import type { CacheConfig } from "./cache.js";
import { configSchema } from "./config-schema.js";
import { databaseUrlIssues } from "./database-url.js";
import type { Environment } from "./environment.js";
import { type ExplainedSetting, explainSettings, type GivenConfig } from "./explain-settings.js";
import { type FileForm, initSource, placeOfInitKey, readInitForm } from "./init-form.js";
import { type LimitsConfig, pageIssues } from "./limits.js";
import { type ModulesDirectory, modulesDirectoryIssues, readModulesDirectory } from "./modules-directory.js";
import { readProxyTrust } from "./proxy-trust.js";
import { type RouterChoices, readRouterChoices } from "./router-choices.js";
import type { MiddlewaresConfig, ServiceConfig, ServiceInitConfig, Usable } from "./service-config.js";
import { defaultShutdown, type ShutdownConfig } from "./shutdown.js";
import { defaultTimeouts, type TimeoutsConfig } from "./timeouts.js";
import { urlOf } from "./url-of.js";
import { commandLine, variablePrefix, variables } from "./variables.js";

/** The environment of a service: everything that it reads besides its configuration (contract C38, C39). */
export interface RuntimeEnvironment {
  /** @default process.env */
  readonly environment?: Environment;
  /** The folder of `service.config.*` and the `.env` files. @default process.cwd() */
  readonly directory?: string;
  /** The command-line arguments. @default those of the process for `init`, none for `create` */
  readonly argv?: readonly string[];
  /**
   * The running script: if it is in `dist`, the modules of `dist` are loaded (contract C44). @default process.argv[1]
   */
  readonly entry?: string;
}

/** The configuration from all sources with all defaults, frozen. */
export interface ServiceSettings {
  readonly nodeEnv: string;
  readonly welcomeMessage: string;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly database: ServiceConfig["database"];
  /** The root of the service's package: the nearest folder with a `package.json`. */
  readonly root: string;
  /** The folder of modules (contract C44). */
  readonly modulesDirectory: ModulesDirectory;
  readonly validation: ServiceConfig["validation"];
  /** `undefined` without a block `authentication`; `enabled` is whether it is on. */
  readonly authentication: AuthSettings | undefined;
  readonly fileUpload: UploadSettings;
  readonly apiDocs: ApiDocsSettings;
  readonly studio: boolean;
  /** Whether lists and reads accept `prismaQueryOptions` (contract C22). */
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
  readonly tenant: ServiceConfig["tenant"];
  readonly urlBytes: number;
  /** Maximum wait of a request, in milliseconds; `undefined` without load shedding. */
  readonly loadShedding: { readonly maxWait: number } | undefined;
  readonly idempotency: ServiceConfig["idempotency"];
  /** The minimum rate of a client, in both directions. */
  readonly bytesPerSecond: number;
  readonly timeouts: Required<TimeoutsConfig>;
  /** Whether `timeouts.request` was set; otherwise the server's own limits count too. */
  readonly isRequestTimeConfigured: boolean;
  readonly trustProxy: ServiceConfig["trustProxy"];
  readonly publicUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Milliseconds that the service continues after a stop signal, and that running requests have after that. */
  readonly shutdown: Required<ShutdownConfig>;
  /** The number of processes; `undefined` if this one serves by itself. */
  readonly workers: number | undefined;
  /** Where the metrics are served; `undefined` without metrics. */
  readonly metrics: MetricsSettings | undefined;
  /** The access of AI agents; `undefined` without MCP. */
  readonly mcp: McpSettings | undefined;
  /** The CDN in front of the service; `undefined` without one. */
  readonly cache: CacheConfig | undefined;
  /** The outgoing webhooks; `undefined` if they are off. */
  readonly webhooks: WebhooksSettings | undefined;
  /** Which processes run jobs. */
  readonly jobs: Required<JobsConfig>;
  readonly logger: ServiceConfig["logger"];
  /** Of the built-in logger. */
  readonly logLevel: NonNullable<ServiceConfig["logLevel"]>;
  /** The path of the configuration file, if any. */
  readonly file: string | undefined;
  /** Warnings that do not prevent startup. */
  readonly warnings: readonly string[];
  /** The documented keys with their values and sources, for `service config`. */
  readonly explain: () => readonly ExplainedSetting[];
}

/** Settings that may have issues. */
export interface ReadSettings {
  /** From the valid part of the configuration. */
  readonly settings: ServiceSettings;
  /** Every issue of every source. */
  readonly issues: readonly StartupIssue[];
}

/**
 * Loads the configuration of a service: arguments over the given object over the file over the environment over the
 * defaults (contract C38). Its issues are reported with those of models, modules and routes.
 *
 * @throws {StartupError} for a file that cannot be read or that fails
 */
export async function readSettings(init: ServiceInitConfig, runtime: RuntimeEnvironment): Promise<ReadSettings> {
  const { environment = process.env, directory = process.cwd(), argv = [], entry = process.argv[1] } = runtime;
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
      ...nodeEnvIssues(read),
      ...databaseUrlIssues(config, read),
      ...authIssues(config, read),
      ...modulesDirectoryIssues(config, root),
      ...pageIssues(config),
    ],
  });
  // Those of the init form are reported already, under its own names.
  const others = loaded.issues.filter(({ source }) => form.issues.length === 0 || source !== initSource);
  const issues = [...form.issues, ...others].map(withPlace);
  const found = {
    environment: loaded.environment,
    file: loaded.file,
    warnings: loaded.warnings,
    config: { ...loaded, realEnvironment: environment },
    directory,
    root,
    entry,
  };
  return { settings: complete(loaded.config as unknown as ServiceConfig, form, found, issues), issues };
}

/** Any other value would mix two modes: without the guards of production and without the features of development. */
function nodeEnvIssues({ NODE_ENV: found = "" }: Environment): StartupIssue[] {
  const known = ["development", "production", "test"];
  if (known.includes(found)) return [];
  const nearest = nearestWord(found, known);
  const expected = joinOr(known.map((name) => JSON.stringify(name)));
  return [
    makeStartupIssue({
      where: "NODE_ENV",
      found: describeFound(found),
      expected,
      ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
    }),
  ];
}

/** An init-form key in a file is reported with its place. */
function withPlace(issue: StartupIssue): StartupIssue {
  const { where, source } = issue;
  const message = source === undefined || source === initSource ? undefined : placeOfInitKey(where);
  return message === undefined ? issue : { ...issue, message };
}

/** The findings around the configuration. */
interface Found {
  readonly environment: Environment;
  readonly file: string | undefined;
  readonly warnings: readonly string[];
  readonly config: GivenConfig;
  readonly directory: string;
  readonly root: string;
  readonly entry: string | undefined;
}

function complete(
  config: ServiceConfig,
  form: FileForm,
  found: Found,
  issues: readonly StartupIssue[],
): ServiceSettings {
  const { environment, file, warnings, directory, root, entry } = found;
  const { limits = {}, routers = {}, port = 8000, host = "localhost" } = config;
  const authentication = withSecret(config.authentication, issues);
  const nodeEnv = environment.NODE_ENV || "development";
  const middlewares = withBodyLimits(config.middlewares ?? {}, limits);
  const allowDangerousOrmQueryOptions = config.request?.parameters?.allowDangerousOrmQueryOptions ?? false;
  const choices = readRouterChoices(routers);
  const {
    page,
    include,
    bulkItems,
    exportRows,
    eventStreams,
    eventStreamsPerClient,
    body: _body,
    response,
    bodyValues: _values,
    bytesPerSecond: _rate,
    ...query
  } = limits;
  const defaults = defaultModelRouterSettings;
  const { queryParser } = middlewares;
  const settings: ServiceSettings = Object.freeze({
    nodeEnv,
    welcomeMessage: config.welcomeMessage ?? "Welcome. This API serves your models and routes.",
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
      // Those of modules without a model are reported separately when the models are known.
      models: (config.models ?? {}) as Readonly<Record<string, ModelConfig>>,
      page: { ...defaults.page, ...page },
      bulkItems: bulkItems ?? defaults.bulkItems,
      exportRows: exportRows ?? defaults.exportRows,
      eventStreams: eventStreams ?? defaults.eventStreams,
      eventStreamsPerClient: eventStreamsPerClient ?? defaults.eventStreamsPerClient,
      surrogateKeyHeader: config.cache && (config.cache.keyHeader ?? "Surrogate-Key"),
      responseBytes: response === undefined ? defaults.responseBytes : toBytes(response),
      include: { ...defaults.include, ...include },
      query: { ...defaults.query, ...query },
      allowDangerousOrmQueryOptions,
      parseDoubleUnderscore: typeof queryParser === "object" ? (queryParser.parseDoubleUnderscore ?? true) : true,
    },
    tenant: config.tenant,
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
    cache: config.cache,
    webhooks: readWebhooksSettings(config.webhooks),
    jobs: Object.freeze({ run: "in-process", maxLagDays: 30, ...config.jobs }),
    logger: config.logger,
    logLevel: config.logLevel ?? "info",
    file,
    warnings,
    explain: () => explainSettings(settings, found.config),
  });
  return settings;
}

/** If the secret is invalid, the rest of the block is validated with a temporary one. */
function withSecret(config: ServiceConfig["authentication"], issues: readonly StartupIssue[]): typeof config {
  if (config === undefined || !issues.some(({ where }) => where.startsWith("authentication.jwt"))) return config;
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
