import type { Server } from "node:http";
import { nearestWord, StartError, type StartFault } from "@servicekit/errors";
import type { ModelConfig } from "@servicekit/model-router";
import type { ModelsData, PrismaClientLike } from "@servicekit/orm";
import type { makePostgresAdapter } from "@servicekit/orm/postgres";
import type { QueryParserOptions } from "@servicekit/query-parser";
import type { ErrorRequestHandler, Express, RequestHandler, Router } from "express";
import { z } from "zod";

/** What is put between the built-in parts by `use` (contract C54). */
export type Usable = RequestHandler | ErrorRequestHandler | Router;

/** The driver adapter that a Prisma client is made with. */
export type PostgresAdapter = ReturnType<typeof makePostgresAdapter>;

/** The database of the service (contract C55). */
export interface DatabaseConfig {
  /** A Prisma client, or a function that makes one with the adapter made from `DATABASE_URL`. */
  readonly client: PrismaClientLike | ((options: { readonly adapter: PostgresAdapter }) => PrismaClientLike);
  /** What the generator `servicekit-prisma` wrote. */
  readonly models: ModelsData;
}

/** How much one request may ask for (contract C14, C20, C43). */
export interface LimitsConfig {
  /** Bytes of a URL. @default 8192 */
  readonly urlBytes?: number;
  /** Filter terms of a query. @default 100 */
  readonly terms?: number;
  /** Logical groups inside each other. @default 5 */
  readonly groups?: number;
  /** Relations on the way to a field. @default 3 */
  readonly relationHops?: number;
  /** Values of one list. @default 500 */
  readonly listItems?: number;
  /** Keys of one `sort`. @default 5 */
  readonly sortKeys?: number;
  /** Items of one bulk request. @default 1000 */
  readonly bulkItems?: number;
  /** Rows of a page, when the client does not say and at the most. @default { default: 20, max: 100 } */
  readonly page?: { readonly default?: number; readonly max?: number };
  /** How deep `include` goes and how many rows of a to-many relation it brings. @default { depth: 3, rows: 100 } */
  readonly include?: { readonly depth?: number; readonly rows?: number };
}

/** Time limits in milliseconds (contract C43). */
export interface TimeoutsConfig {
  /** The whole request, from its first byte. @default 30000 */
  readonly request?: number;
  /** The headers of a request. @default 10000 */
  readonly headers?: number;
  /** One statement of the database. @default 5000 */
  readonly statement?: number;
  /** Waiting for a free database connection. @default 2000 */
  readonly poolWait?: number;
}

/** What a service is made from. Every key has a default. */
export interface ServiceConfig {
  /** What `GET /api` says. */
  readonly welcomeMessage?: string;
  /** @default 8000 */
  readonly port?: number;
  /** @default "localhost" */
  readonly host?: string;
  readonly database?: DatabaseConfig;
  /** By the model's name. */
  readonly models?: Readonly<Record<string, ModelConfig>>;
  readonly routers?: {
    /** `true` registers no generated route, `"no-bulk"` leaves out the `/many` routes. @default false */
    readonly strict?: boolean | "no-bulk";
  };
  readonly middlewares?: {
    /** Options of the JSON body parser. */
    readonly serverJson?: { readonly limit?: number | string };
    /** Options of the query parser. */
    readonly queryParser?: QueryParserOptions;
  };
  readonly limits?: LimitsConfig;
  readonly timeouts?: TimeoutsConfig;
  readonly shutdown?: {
    /** How long running requests may take to end, in milliseconds. @default 10000 */
    readonly drain?: number;
  };
}

/** What is said in code only. */
export interface ServiceInitConfig extends ServiceConfig {
  /** Routers, request handlers and error handlers of the application, in order (contract C54). */
  readonly use?: readonly Usable[];
  /** Configures the application before anything is mounted. */
  readonly configureApp?: (app: Express) => unknown;
  /** Configures the server before it listens. */
  readonly configureServer?: (server: Server) => unknown;
}

const count = z.int().min(1);
const handler = z.custom<Usable>((value) => typeof value === "function", "expected a function or a router");
const anyFunction = z.custom<(argument: never) => unknown>(
  (value) => typeof value === "function",
  "expected a function",
);

/** The shape of the configuration; types are told above, where an editor shows them. */
const schema = z.strictObject({
  welcomeMessage: z.string().optional(),
  port: z.int().min(0).max(65535).optional(),
  host: z.string().min(1).optional(),
  database: z.strictObject({ client: z.unknown(), models: z.looseObject({}) }).optional(),
  models: z.record(z.string(), z.looseObject({})).optional(),
  routers: z.strictObject({ strict: z.union([z.boolean(), z.literal("no-bulk")]).optional() }).optional(),
  middlewares: z
    .strictObject({
      serverJson: z.strictObject({ limit: z.union([count, z.string()]).optional() }).optional(),
      queryParser: z
        .strictObject({
          parseDoubleUnderscore: z.boolean().optional(),
          parseNumber: z.boolean().optional(),
          parseBoolean: z.boolean().optional(),
          parseNull: z.boolean().optional(),
          parseArray: z.boolean().optional(),
        })
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
      request: count.optional(),
      headers: count.optional(),
      statement: count.optional(),
      poolWait: count.optional(),
    })
    .optional(),
  shutdown: z.strictObject({ drain: z.int().min(0).optional() }).optional(),
  use: z.array(handler).optional(),
  configureApp: anyFunction.optional(),
  configureServer: anyFunction.optional(),
});

/**
 * Holds a configuration against its shape (contract C38).
 *
 * @throws {StartError} that names every unknown key with the nearest known one, and every value of a wrong type
 */
export function checkConfig(config: ServiceInitConfig): void {
  const result = schema.safeParse(config);
  if (result.success) return;
  throw new StartError(result.error.issues.flatMap((issue) => faultsOf(issue)));
}

function faultsOf(issue: z.core.$ZodIssue): StartFault[] {
  const where = issue.path.join(".") || "the configuration";
  if (issue.code !== "unrecognized_keys") return [{ where, message: `${issue.message}.` }];
  const known = knownKeys(issue.path);
  return issue.keys.map((key) => {
    const near = nearestWord(key, known);
    const hint = near === undefined ? `known are ${known.join(", ")}` : `did you mean ${near}?`;
    return { where: [...issue.path, key].join("."), message: `There is no such key; ${hint}` };
  });
}

function knownKeys(path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const segment of path) {
    const inner: unknown = unwrap(at);
    at = inner instanceof z.ZodObject ? inner.shape[String(segment)] : undefined;
  }
  const object = unwrap(at);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

const unwrap = (value: unknown): unknown => (value instanceof z.ZodOptional ? value.unwrap() : value);
