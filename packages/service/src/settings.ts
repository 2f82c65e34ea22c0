import { ConfigError, loadConfig } from "@servicekit/config-loader";
import { StartError, type StartFault } from "@servicekit/errors";
import { defaultModelRouterSettings, type ModelRouterSettings } from "@servicekit/model-router";
import type { RequestHandler } from "express";
import { configSchema } from "./config/config-schema.js";
import { readInitForm } from "./config/init-form.js";
import type { RouterName } from "./config/names.js";
import type {
  MiddlewaresConfig,
  PlainRouter,
  ServiceConfig,
  ServiceInitConfig,
  TimeoutsConfig,
  Usable,
} from "./config/service-config.js";
import { commandLine, variables } from "./config/variables.js";

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
  readonly disabledRouters: ReadonlySet<RouterName>;
  readonly replacedRouters: ReadonlyMap<RouterName, RequestHandler | PlainRouter>;
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
  const faults: StartFault[] = [...form.faults];
  try {
    const loaded = await loadConfig({
      directory,
      baseName: "service",
      schema: configSchema,
      environment,
      variables,
      argv,
      arguments: commandLine,
      init: form.config as Readonly<Record<string, unknown>>,
    });
    if (faults.length > 0) throw new StartError(faults);
    const { config, environment: read, file } = loaded;
    return complete(config as unknown as ServiceConfig, form, read, file);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(
      ...error.faults.map(({ path, source, message }) => ({
        where: source === undefined ? path : `${path} (${source})`,
        message,
      })),
    );
    throw new StartError(faults);
  }
}

function complete(
  config: ServiceConfig,
  form: ReturnType<typeof readInitForm>,
  environment: Environment,
  file: string | undefined,
): ServiceSettings {
  const { limits = {}, middlewares = {} } = config;
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
    routers: config.routers ?? {},
    disabledRouters: form.disabledRouters,
    replacedRouters: form.replacedRouters,
    use: form.use,
    configureApp: form.configureApp,
    configureServer: form.configureServer,
    email: config.email,
    debugging: config.debugging ?? {},
    modelRouter: {
      strict: config.routers?.strict ?? defaults.strict,
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
