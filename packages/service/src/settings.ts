import { StartError } from "@servicekit/errors";
import { defaultModelRouterSettings, type ModelRouterSettings } from "@servicekit/model-router";
import type { ServiceConfig, ServiceInitConfig } from "./config.js";

/** The configuration with every default filled in, frozen. */
export interface ServiceSettings {
  readonly welcomeMessage: string;
  readonly port: number;
  readonly host: string;
  readonly databaseUrl: string | undefined;
  readonly modelRouter: ModelRouterSettings;
  readonly jsonLimit: number | string;
  readonly urlBytes: number;
  readonly queryParser: NonNullable<NonNullable<ServiceConfig["middlewares"]>["queryParser"]>;
  readonly timeouts: Required<NonNullable<ServiceConfig["timeouts"]>>;
  /** Milliseconds that running requests have when the service stops. */
  readonly drain: number;
}

/** The environment variables that a service reads (specification, "Environment variables"). */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Fills in what the configuration leaves out: first from the environment, then with the defaults (contract C38, C43).
 *
 * @throws {StartError} for a variable that cannot be read
 */
export function toSettings(config: ServiceInitConfig, environment: Environment): ServiceSettings {
  const { limits = {}, timeouts = {}, middlewares = {} } = config;
  const { page, include, bulkItems, ...query } = limits;
  const defaults = defaultModelRouterSettings;
  return Object.freeze({
    welcomeMessage: config.welcomeMessage ?? "Welcome. The models of this API are listed in its documentation.",
    port: config.port ?? readPort(environment) ?? 8000,
    host: config.host ?? (environment.HOST || "localhost"),
    databaseUrl: environment.DATABASE_URL || undefined,
    modelRouter: {
      strict: config.routers?.strict ?? defaults.strict,
      models: config.models ?? {},
      page: { ...defaults.page, ...page },
      bulkItems: bulkItems ?? defaults.bulkItems,
      include: { ...defaults.include, ...include },
      query: { ...defaults.query, ...query },
      parseDoubleUnderscore: middlewares.queryParser?.parseDoubleUnderscore ?? true,
    },
    jsonLimit: middlewares.serverJson?.limit ?? 1024 * 1024,
    urlBytes: limits.urlBytes ?? defaults.query.urlBytes,
    queryParser: middlewares.queryParser ?? {},
    timeouts: { request: 30_000, headers: 10_000, statement: 5_000, poolWait: 2_000, ...timeouts },
    drain: config.shutdown?.drain ?? 10_000,
  });
}

function readPort({ PORT }: Environment): number | undefined {
  if (PORT === undefined || PORT === "") return undefined;
  const port = /^\d{1,5}$/.test(PORT) ? Number(PORT) : Number.NaN;
  if (port <= 65535) return port;
  throw new StartError([{ where: "the environment variable PORT", message: `"${PORT}" is no port from 0 to 65535.` }]);
}
