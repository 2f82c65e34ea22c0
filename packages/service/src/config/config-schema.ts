import { authConfigSchema } from "@servicekit/auth/settings";
import { isObject, nearestWord } from "@servicekit/core/internal";
import { idempotencySchema } from "@servicekit/idempotency/settings";
import { jobsSchema } from "@servicekit/jobs/settings";
import { mailerSchema } from "@servicekit/mailer/settings";
import { mcpSchema } from "@servicekit/mcp/settings";
import { tenantSchema } from "@servicekit/model-router/internal";
import { apiDocsSchema } from "@servicekit/openapi/settings";
import {
  compressionSchema,
  count,
  handler,
  jsonParserSchema,
  milliseconds,
  queryParserSchema,
  rateLimitSchema,
  validationOptionsSchemas,
} from "@servicekit/router/settings";
import { loadSheddingSchema } from "@servicekit/server/settings";
import { metricsSchema } from "@servicekit/telemetry/settings";
import { fileUploadSchema } from "@servicekit/uploads/settings";
import { webhooksSchema } from "@servicekit/webhooks/settings";
import { z } from "zod";
import { cacheSchema } from "./cache.js";
import { debuggingSchema } from "./debugging.js";
import { corsOptions, helmetOptions } from "./library-options.js";
import { limitsSchema } from "./limits.js";
import { allMiddlewareNames, readMiddlewareName, readRouterName, routerNames } from "./names.js";
import { routerContradictions } from "./router-choices.js";
import { shutdownSchema } from "./shutdown.js";
import { timeoutsSchema } from "./timeouts.js";

const router = z
  .custom<object>((value) => typeof value === "function" || (isObject(value) && typeof value.handle === "function"))
  .meta({ expected: "a handler or a router" });
const usable = z.array(router).meta({ expected: "a list of handlers and routers" }).optional();
const anyObject = z.looseObject({});
const choice = (...options: z.ZodType[]): z.ZodType => z.union(options);

/** With a path or a trailing slash it would never equal what a browser sends (RFC 6454, section 7). */
const origin = z
  .string()
  .regex(/^(\*|[a-z][a-z0-9+.-]*:\/\/[^/?#\s*]+)$/i)
  .meta({
    expected: 'an origin such as https://app.example.com, or "*"',
  });

/** With a password. */
const replicaUrl = z
  .string()
  .refine((text) => /^postgres(ql)?:\/\//.test(text) && URL.canParse(text))
  .meta({ secret: "url", expected: "a URL such as postgresql://user:password@replica:5432/name" });

const cookieParser = z
  .array(choice(z.string(), z.array(z.string()), anyObject))
  .max(2)
  .meta({ secret: true, expected: "a list of a signing secret and options" });

/** `false`, options, or a handler in its place. */
const middleware = (options: z.ZodType): z.ZodType => choice(z.literal(false), options, handler).optional();

const middlewares = z.strictObject({
  securityHeaders: middleware(helmetOptions),
  requestLogger: choice(z.literal(false), handler).optional(),
  cors: middleware(z.strictObject({ allowedOrigins: z.array(origin).optional(), options: corsOptions.optional() })),
  cookieParser: middleware(cookieParser),
  compression: choice(compressionSchema, handler).optional(),
  rateLimit: middleware(rateLimitSchema),
  serverJson: middleware(jsonParserSchema),
  queryParser: choice(queryParserSchema, handler).optional(),
  errorHandler: choice(z.literal(false), handler).optional(),
});

/** The block `validation` for one library, by its own name and by the neutral one. */
const validatedBy = <Name extends string>(options: z.ZodType, ...names: readonly [Name, ...Name[]]) =>
  z.strictObject({
    resolver: z.enum(names),
    strict: z.boolean().optional(),
    validationOptions: options.optional(),
  });

const validation = z.discriminatedUnion("resolver", [
  validatedBy(validationOptionsSchemas.zod, "zod", "schema-lib"),
  validatedBy(validationOptionsSchemas["class-validator"], "class-validator", "class-lib"),
]);

type Read = (name: string) => string | undefined;

/** A name in either spelling. */
const nameOf = (read: Read, known: readonly string[]) =>
  z.string().check(({ value, issues }) => {
    if (read(value) === undefined) issues.push(unknownName(value, known));
  });

/** An object with keys in either spelling. */
const byName = (read: Read, known: readonly string[], value: z.ZodType) => {
  const record = z.record(z.string(), value).check(({ value: named, issues }) => {
    for (const name of Object.keys(named)) {
      if (read(name) === undefined) issues.push({ ...unknownName(name, known), path: [name] });
    }
  });
  // A record schema ignores a key `__proto__`, and does not accept an object with a key `constructor`.
  return z.preprocess((given, { issues }) => {
    for (const name of ["__proto__", "constructor"]) {
      if (isObject(given) && Object.hasOwn(given, name)) issues.push({ ...unknownName(name, known), path: [name] });
    }
    return given;
  }, record);
};

function unknownName(name: string, known: readonly string[]) {
  const near = nearestWord(name, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `Unknown name ${JSON.stringify(name)}; expected one of ${known.join(", ")}.${hint}`;
  return { code: "custom" as const, message, input: name };
}

const routers = z
  .strictObject({
    strict: z.union([z.boolean(), z.literal("no-bulk")]).optional(),
    welcomeRoute: choice(z.literal(false), handler).optional(),
    additional: usable,
    disable: z.array(nameOf(readRouterName, routerNames)).optional(),
    replace: byName(readRouterName, routerNames, router).optional(),
  })
  .check(({ value, issues }) => {
    for (const { path, message } of routerContradictions(value)) {
      issues.push({ code: "custom", path: [...path], message, input: value });
    }
  });

/** The schema of the configuration file (contract C38): an unknown key is an issue at every level. */
export const configSchema = z.strictObject({
  welcomeMessage: z.string().optional(),
  port: z.int().min(0).max(65535).optional(),
  host: z.string().min(1).optional(),
  database: z
    .strictObject({
      client: z
        .custom<object>((value) => typeof value === "function" || (typeof value === "object" && value !== null))
        .meta({ expected: "a Prisma client, or a function ({ adapter }) => new PrismaClient({ adapter })" }),
      models: anyObject.meta({ expected: "the models generated by servicekit-prisma" }),
      poolSize: count.optional(),
      engine: z.enum(["auto", "prisma"]).optional(),
      exposeRaisedMessages: z.boolean().optional(),
      replicas: z.array(replicaUrl).meta({ secret: "url", expected: "a list of URLs of PostgreSQL" }).optional(),
      maxLagMs: milliseconds.optional(),
    })
    .optional(),
  // The contents of each are validated by its package, when the models are known.
  models: z.record(z.string(), anyObject).optional(),
  cache: cacheSchema.optional(),
  tenant: tenantSchema.optional(),
  validation: validation.optional(),
  authentication: authConfigSchema.optional(),
  fileUpload: fileUploadSchema.omit({ serverStaticOptions: true }).optional(),
  middlewares: middlewares.optional(),
  routers: routers.optional(),
  apidocs: apiDocsSchema.optional(),
  studio: z.boolean().optional(),
  request: z
    .strictObject({
      parameters: z.strictObject({ allowDangerousOrmQueryOptions: z.boolean().optional() }).optional(),
    })
    .optional(),
  modulesDirectory: z.string().min(1).optional(),
  email: mailerSchema.optional(),
  debugging: debuggingSchema.optional(),
  limits: limitsSchema.optional(),
  loadShedding: loadSheddingSchema.optional(),
  idempotency: idempotencySchema.optional(),
  timeouts: timeoutsSchema.optional(),
  trustProxy: z.union([z.boolean(), z.int().min(0), z.string(), z.array(z.string())]).optional(),
  publicUrl: z.url().optional(),
  redis: z.strictObject({ url: z.string().meta({ secret: "url" }).optional() }).optional(),
  metrics: metricsSchema.optional(),
  mcp: mcpSchema.optional(),
  webhooks: webhooksSchema.optional(),
  jobs: jobsSchema.optional(),
  shutdown: shutdownSchema.optional(),
  workers: z.union([z.literal("auto"), z.int().min(1).max(256)]).optional(),
  logLevel: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).optional(),
  logger: z
    .custom<object>((value) => typeof value === "object" && value !== null && "child" in value)
    .meta({ expected: "a pino logger" })
    .optional(),
});

/**
 * The schema of the init form: its own keys and names besides those of the file (specification, "ServiceInitConfig").
 */
export const initSchema = z.strictObject({
  ...configSchema.shape,
  use: usable,
  configureApp: handler.optional(),
  configureServer: handler.optional(),
  globalRequestRateLimitOptions: middlewares.shape.rateLimit,
  jsonBodyParserOptions: middlewares.shape.serverJson,
  cookieParserParameters: middlewares.shape.cookieParser,
  compressionOptions: middlewares.shape.compression,
  queryParserOptions: middlewares.shape.queryParser,
  cors: middlewares.shape.cors,
  fileUpload: fileUploadSchema.optional(),
  middlewares: z
    .strictObject({
      ...middlewares.shape,
      additional: z.array(handler).meta({ expected: "a list of handlers" }).optional(),
      disable: z.array(nameOf(readMiddlewareName, allMiddlewareNames)).optional(),
      replace: byName(readMiddlewareName, allMiddlewareNames, handler).optional(),
    })
    .optional(),
});
