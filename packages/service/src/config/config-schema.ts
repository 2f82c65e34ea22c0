import { z } from "zod";

const count = z.int().min(1);
const milliseconds = z.int().min(1).meta({ expected: "a whole number of milliseconds" });
const handler = z
  .custom<(...args: never) => unknown>((value) => typeof value === "function")
  .meta({ expected: "a function" });
const anyObject = z.looseObject({});
const choice = (...options: z.ZodType[]): z.ZodType => z.union(options);

const queryParser = z.strictObject({
  parseDoubleUnderscore: z.boolean().optional(),
  parseNumber: z.boolean().optional(),
  parseBoolean: z.boolean().optional(),
  parseNull: z.boolean().optional(),
  parseArray: z.boolean().optional(),
});

const compression = z.strictObject({
  level: z.int().min(-1).max(9).optional(),
  threshold: z.union([z.number(), z.string()]).optional(),
  filter: handler.optional(),
  memLevel: z.int().min(1).max(9).optional(),
  strategy: z.int().optional(),
  chunkSize: count.optional(),
});

const rateLimit = z.strictObject({
  windowMs: milliseconds.optional(),
  limit: count.optional(),
  message: z.string().optional(),
});

/** `false`, options, or a handler in its place. */
const middleware = (options: z.ZodType): z.ZodType => choice(z.literal(false), options, handler).optional();

const middlewares = z.strictObject({
  securityHeaders: middleware(anyObject),
  requestLogger: choice(z.literal(false), handler).optional(),
  cors: middleware(z.strictObject({ allowedOrigins: z.array(z.string()).optional(), options: anyObject.optional() })),
  cookieParser: middleware(z.array(z.unknown()).max(2)),
  compression: choice(z.boolean(), compression, handler).optional(),
  rateLimit: middleware(rateLimit),
  serverJson: middleware(z.looseObject({ limit: z.union([count, z.string()]).optional() })),
  queryParser: middleware(queryParser),
  errorHandler: choice(z.literal(false), handler).optional(),
});

const level = z.int().min(0).max(3).optional();
const words = z.array(z.string()).optional();

/** The shape of the configuration file (contract C38): an unknown key is a fault at every level. */
export const configSchema = z.strictObject({
  welcomeMessage: z.string().optional(),
  port: z.int().min(0).max(65535).optional(),
  host: z.string().min(1).optional(),
  database: z.strictObject({ client: z.unknown(), models: anyObject }).optional(),
  models: z.record(z.string(), anyObject).optional(),
  validation: z
    .strictObject({
      resolver: z.enum(["zod", "class-validator", "schema-lib", "class-lib"]),
      strict: z.boolean().optional(),
      validationOptions: anyObject.optional(),
    })
    .optional(),
  middlewares: middlewares.optional(),
  routers: z
    .strictObject({
      strict: z.union([z.boolean(), z.literal("no-bulk")]).optional(),
      welcomeRoute: choice(z.literal(false), handler).optional(),
    })
    .optional(),
  email: z
    .strictObject({
      host: z.string().min(1),
      port: z.int().min(1).max(65535).optional(),
      secure: z.boolean().optional(),
      auth: z.strictObject({ user: z.string().min(1), pass: z.string().meta({ secret: true }) }),
      name: z.string().optional(),
    })
    .optional(),
  debugging: z
    .strictObject({
      requests: z
        .strictObject({ level, filter: z.array(z.enum(["Params", "Query", "Headers", "Body"])).optional() })
        .optional(),
      dynamicLoader: z
        .strictObject({ level, filters: z.strictObject({ modules: words, components: words }).optional() })
        .optional(),
    })
    .optional(),
  limits: z
    .strictObject({
      urlBytes: count.optional(),
      terms: count.optional(),
      groups: count.optional(),
      relationHops: count.optional(),
      listItems: count.optional(),
      sortKeys: count.optional(),
      bulkItems: count.optional(),
      page: z.strictObject({ default: count.optional(), max: count.optional() }).optional(),
      include: z.strictObject({ depth: count.optional(), rows: count.optional() }).optional(),
    })
    .optional(),
  timeouts: z
    .strictObject({
      request: milliseconds.optional(),
      idle: milliseconds.optional(),
      headers: milliseconds.optional(),
      statement: milliseconds.optional(),
      poolWait: milliseconds.optional(),
    })
    .optional(),
  trustProxy: z.union([z.boolean(), z.int().min(0), z.string(), z.array(z.string())]).optional(),
  publicUrl: z.url().optional(),
  redis: z.strictObject({ url: z.string().optional() }).optional(),
  shutdown: z.strictObject({ drain: z.int().min(0).optional() }).optional(),
  logger: z.custom<object>((value) => typeof value === "object" && value !== null && "child" in value).optional(),
});
