import type { Auth } from "@servicekit/auth";
import type { Idempotency } from "@servicekit/idempotency";
import {
  makeBodyParserStep,
  makeCompressionStep,
  makeQueryParserStep,
  makeRateLimitStep,
  makeValidationStep,
  type RateLimitStore,
  type RouteStep,
} from "@servicekit/router";
import { matchOf, routeName } from "@servicekit/router/internal";
import type { Uploads } from "@servicekit/uploads";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { ServiceSettings } from "../config/settings.js";
import { requestLogger } from "../logging/request-logger.js";
import { consistencyHeader } from "../replicas/consistency.js";
import { requestId } from "./request-id.js";
import { containsFunction, setOnce } from "./set-once.js";

/** The dependencies of the pipelines besides the settings. */
export interface PipelineContext {
  readonly settings: ServiceSettings;
  readonly logger: Logger;
  /** Creates the shared store of one rate limit; `undefined` counts in memory. */
  readonly makeStore: ((scope: string) => RateLimitStore) | undefined;
  /** `undefined` without authentication: then no step serves that key. */
  readonly auth: Auth | undefined;
  readonly uploads: Uploads;
  /** `undefined` without idempotency. */
  readonly idempotency: Idempotency | undefined;
  /** Whether responses to writes have a consistency token. */
  readonly hasReplicas: boolean;
}

/**
 * The handlers before the match, in order: security headers, request id, log, CORS, cookies. Security headers that depend
 * on the request come after the log.
 */
export async function handlersBeforeMatch({
  settings,
  logger,
  hasReplicas,
}: PipelineContext): Promise<RequestHandler[]> {
  const { securityHeaders, requestLogger: log, cors, cookieParser } = settings.middlewares;
  const security = await securityHandlers(securityHeaders);
  const isFirst = !containsFunction(securityHeaders);
  return [
    ...(isFirst ? security : []),
    requestId(),
    ...(log === false ? [] : [log ?? requestLogger(logger)]),
    ...(isFirst ? [] : security),
    ...(await corsHandlers(cors, hasReplicas)),
    ...(await cookieHandlers(cookieParser)),
  ];
}

async function securityHandlers(setting: ServiceSettings["middlewares"]["securityHeaders"]): Promise<RequestHandler[]> {
  if (setting === false) return [];
  if (typeof setting === "function") return [setting];
  const { default: helmet } = await import("helmet");
  return [setOnce(helmet(setting), setting)];
}

/** The response headers that a page of another origin may read. */
const exposedHeaders = [
  ...["ETag", "Link", "Location", "X-Request-Id", "Idempotency-Replayed"],
  ...["Retry-After", "RateLimit-Limit", "RateLimit-Policy", "RateLimit-Remaining", "RateLimit-Reset"],
];

/** Off until origins are configured: a browser then blocks pages of other origins. */
export async function corsHandlers(
  setting: ServiceSettings["middlewares"]["cors"],
  hasReplicas: boolean,
): Promise<RequestHandler[]> {
  if (typeof setting === "function") return [setting];
  if (setting === false || setting?.allowedOrigins === undefined) return [];
  const { allowedOrigins, options } = setting;
  const { default: cors } = await import("cors");
  const origin = allowedOrigins.includes("*") ? "*" : [...allowedOrigins];
  const exposed = hasReplicas ? [...exposedHeaders, consistencyHeader] : [...exposedHeaders];
  const handle = cors({ exposedHeaders: exposed, ...options, origin });
  const withoutOrigin = setOnce(handle, options);
  // The response to a page of another origin depends on its name; all others get the same.
  return [
    (request, response, next) =>
      (request.headers.origin === undefined && request.method !== "OPTIONS" ? withoutOrigin : handle)(
        request,
        response,
        next,
      ),
  ];
}

async function cookieHandlers(setting: ServiceSettings["middlewares"]["cookieParser"]): Promise<RequestHandler[]> {
  if (setting === false) return [];
  if (typeof setting === "function") return [setting];
  const { default: cookieParser } = await import("cookie-parser");
  const [secret, options] = setting ?? [];
  return [cookieParser(secret as string | string[] | undefined, options)];
}

/**
 * The steps that run once per request, with the values of the matched route or the global settings. Authentication and
 * access are decided before the body is read (contract C58).
 */
export function globalSteps({ settings, makeStore, auth }: PipelineContext): readonly RouteStep[] {
  const { compression, rateLimit, serverJson, queryParser } = settings.middlewares;
  const limits = settings.modelRouter.query;
  const store = makeStore === undefined ? {} : { makeStore };
  const rateLimitSettings =
    rateLimit === false || typeof rateLimit === "function"
      ? rateLimit
      : { ...rateLimit, ...store, skip: isHealthCheck };
  return [
    makeCompressionStep(compression),
    makeRateLimitStep(rateLimitSettings),
    ...(auth === undefined ? [] : [auth.step]),
    makeBodyParserStep(serverJson),
    makeQueryParserStep(
      queryParser === false || typeof queryParser === "function" ? queryParser : { limits, ...queryParser },
    ),
  ];
}

/** The steps that run on entering a declared route, before its own handlers; without those that the match has run. */
export function routeSteps({ settings, auth, uploads, idempotency }: PipelineContext): readonly RouteStep[] {
  const { strict = false, validationOptions = {} } = settings.validation ?? {};
  // Access is decided before files are received, and these before the body is validated (contract C50).
  return [
    auth?.step ?? unconfigured("authentication", noAuthentication),
    idempotency?.step ?? unconfigured("idempotency", noIdempotency),
    uploads.step,
    makeValidationStep({ strict, validationOptions }),
  ];
}

const noAuthentication =
  'requires the block authentication in the configuration, such as authentication: { mode: "static" }.';
const noIdempotency =
  'requires the model IdempotencyKey in the schema, or idempotency: { store: "redis" } in the configuration.';

/** Reports the routes that declare a key whose feature is not configured. */
const unconfigured = (key: string, message: string): RouteStep => ({
  key,
  handlers: () => [],
  check: (value, route) =>
    value === undefined || value === false ? [] : [{ where: routeName(route), message: `${key} ${message}` }],
});

/** Probes must neither count against a rate limit nor be rejected by one (contract C41). */
const isHealthCheck: (request: Parameters<RequestHandler>[0]) => boolean = (request) =>
  matchOf(request)?.route?.origin.resource === "health";
