import { ConfigError, type ConfigFault, loadConfig } from "@servicekit/config-loader";
import { StartError, type StartFault } from "@servicekit/errors";
import { defaultModelRouterSettings, type ModelRouterSettings } from "@servicekit/model-router";
import type { RequestHandler } from "express";
import { configSchema } from "./config/config-schema.js";
import { type FileForm, initSource, placeOfInitKey, readInitForm } from "./config/init-form.js";
import { type RouterChoices, readRouterChoices } from "./config/router-choices.js";
import type {
  MiddlewaresConfig,
  ServiceConfig,
  ServiceInitConfig,
  TimeoutsConfig,
  Usable,
} from "./config/service-config.js";
import { commandLine, variables } from "./config/variables.js";
import { databaseUrlFaults } from "./open-database.js";

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
}

/** The configuration from all its sources, with every default filled in, frozen. */
export interface ServiceSettings {
  readonly nodeEnv: string;
  readonly welcomeMessage: string;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly database: ServiceConfig["database"];
  readonly validation: ServiceConfig["validation"];
  readonly middlewares: MiddlewaresConfig;
  readonly additionalMiddlewares: readonly RequestHandler[];
  readonly routers: NonNullable<ServiceConfig["routers"]>;
  readonly disabledRouters: RouterChoices["disabled"];
  readonly replacedRouters: RouterChoices["replaced"];
  readonly use: readonly Usable[];
  readonly configureApp: ServiceInitConfig["configureApp"];
  readonly configureServer: ServiceInitConfig["configureServer"];
  readonly email: ServiceConfig["email"];
  readonly debugging: NonNullable<ServiceConfig["debugging"]>;
  readonly modelRouter: ModelRouterSettings;
  readonly urlBytes: number;
  readonly timeouts: Required<TimeoutsConfig>;
  readonly trustProxy: ServiceConfig["trustProxy"];
  readonly publicUrl: string | undefined;
  readonly redisUrl: string | undefined;
  /** Milliseconds that running requests have when the service stops. */
  readonly drain: number;
  readonly logger: ServiceConfig["logger"];
  /** The configuration file that was read, if any. */
  readonly file: string | undefined;
}

const defaultTimeouts: Required<TimeoutsConfig> = {
  request: 30_000,
  idle: 10_000,
  headers: 10_000,
  statement: 5_000,
  poolWait: 2_000,
};

/**
 * Loads the configuration of a service: arguments over the given object over the file over the environment over the
 * defaults (contract C38).
 *
 * @throws {StartError} that tells every fault of every source at once
 */
export async function loadSettings(init: ServiceInitConfig, surroundings: Surroundings): Promise<ServiceSettings> {
  const { environment = process.env, directory = process.cwd(), argv = [] } = surroundings;
  const form = readInitForm(init);
  const loading = loadConfig({
    directory,
    baseName: "service",
    schema: configSchema,
    environment,
    variables,
    argv,
    arguments: commandLine,
    init: form.config as Readonly<Record<string, unknown>>,
    check: databaseUrlFaults,
  });
  const loaded = await loading.catch((error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    // Those of the init form are told already, under its own names.
    const others = error.faults.filter(({ source }) => form.faults.length === 0 || source !== initSource);
    throw new StartError([...form.faults, ...others].map(toStartFault));
  });
  if (form.faults.length > 0) throw new StartError(form.faults.map(toStartFault));
  return complete(loaded.config as unknown as ServiceConfig, form, loaded.environment, loaded.file);
}

function toStartFault({ path, source, message }: ConfigFault): StartFault {
  if (source === undefined) return { where: path, message };
  const place = source === initSource ? undefined : placeOfInitKey(path);
  return { where: `${path} (${source})`, message: place ?? message };
}

function complete(
  config: ServiceConfig,
  form: FileForm,
  environment: Environment,
  file: string | undefined,
): ServiceSettings {
  const { limits = {}, middlewares = {}, routers = {} } = config;
  const choices = readRouterChoices(routers);
  const { page, include, bulkItems, ...query } = limits;
  const defaults = defaultModelRouterSettings;
  const { queryParser } = middlewares;
  return Object.freeze({
    nodeEnv: environment.NODE_ENV || "development",
    welcomeMessage: config.welcomeMessage ?? "Welcome. Every model of this API has its routes here.",
    port: config.port ?? 8000,
    host: config.host ?? "localhost",
    databaseUrl: environment.DATABASE_URL || undefined,
    database: config.database,
    validation: config.validation,
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
      models: config.models ?? {},
      page: { ...defaults.page, ...page },
      bulkItems: bulkItems ?? defaults.bulkItems,
      include: { ...defaults.include, ...include },
      query: { ...defaults.query, ...query },
      parseDoubleUnderscore: typeof queryParser === "object" ? (queryParser.parseDoubleUnderscore ?? true) : true,
    },
    urlBytes: limits.urlBytes ?? defaults.query.urlBytes,
    timeouts: { ...defaultTimeouts, ...config.timeouts },
    trustProxy: config.trustProxy,
    publicUrl: config.publicUrl,
    redisUrl: config.redis?.url,
    drain: config.shutdown?.drain ?? 10_000,
    logger: config.logger,
    file,
  });
}
