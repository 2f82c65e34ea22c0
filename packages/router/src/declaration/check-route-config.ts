import type { StartupIssue } from "@servicekit/core";
import { isPlainObject } from "@servicekit/core/internal";
import { findIssues } from "@servicekit/core/schema";
import { z } from "zod";
import { isZodSchema } from "../validation/schema.js";
import { authenticationSchema } from "./authentication.js";
import { bodyParserSchema } from "./body-parser.js";
import { compressionSchema } from "./compression.js";
import { type DeclaredRoute, declaredKeys, declaredValue } from "./declared-route.js";
import { openApiSchema } from "./openapi.js";
import type { ShapeOf } from "./option-values.js";
import { queryParserSchema } from "./query-parser.js";
import { routeRateLimitSchema } from "./rate-limit.js";
import type { ExperimentalConfig, RouteConfig } from "./route-config.js";
import { uploadsSchema } from "./uploads.js";
import { validationSchema } from "./validation.js";

/** The keys of this package; those of other steps are added per application. */
const experimental: ShapeOf<Pick<ExperimentalConfig, "uploads" | "openapi">> = {
  uploads: uploadsSchema.optional(),
  openapi: openApiSchema.optional(),
};
const keys: ShapeOf<
  Pick<
    RouteConfig,
    | "path"
    | "disabled"
    | "authentication"
    | "validation"
    | "rateLimit"
    | "queryParser"
    | "bodyParser"
    | "compression"
    | "idempotency"
    | "mcp"
  >
> = {
  path: z.string(),
  disabled: z.boolean().optional(),
  authentication: authenticationSchema.optional(),
  validation: validationSchema.optional(),
  rateLimit: routeRateLimitSchema.optional(),
  queryParser: queryParserSchema.optional(),
  bodyParser: bodyParserSchema.optional(),
  compression: compressionSchema.optional(),
  idempotency: z.boolean().optional(),
  mcp: z.boolean().optional(),
};

/** The name of a route in messages: its method, its path and the place of its declaration. */
export function routeName(route: DeclaredRoute): string {
  return `${route.method} ${route.path} (${route.origin.place})`;
}

/**
 * Returns every issue of one declaration: unknown keys with the nearest known one, keys without a step, wrong types,
 * contradictions, and path parameters that the `params` schema lacks.
 *
 * @param served the keys that steps or other code serve
 */
export function checkRouteConfig(route: DeclaredRoute, served: ReadonlySet<string>): StartupIssue[] {
  const { config } = route;
  const schema = schemaFor(served);
  const found = isRight(config, schema) ? [] : findIssues(config, schema);
  const messages = found.map(({ where, message }) => `${where}: ${message}`);
  for (const key of declaredKeys(config)) {
    // A disabled feature needs no step.
    if (knownKeys.includes(key) && !served.has(key) && declaredValue(config, key) !== false)
      messages.push(notServed(key));
  }
  messages.push(...pathIssues(config.path), ...contradictions(route), ...missingParams(route), ...unknownParams(route));
  return messages.map((message) => ({ where: routeName(route), message }));
}

const notServed = (key: string): string =>
  `${key} is declared, but this application has no step for it. Mount the router in a service, or pass a step for "${key}" to mountRoutes.`;

const knownKeys = [...Object.keys(keys), ...Object.keys(experimental).map((key) => `experimental.${key}`)];

/** Reads only the declared keys, because hundreds of routes declare few of them. */
const isRight = (config: RouteConfig, { shape }: z.ZodObject): boolean =>
  Object.entries(config).every(
    ([key, value]) =>
      Object.hasOwn(shape, key) && z.safeParse(shape[key] as z.ZodType, value, { jitless: true }).success,
  );

const schemas = new WeakMap<ReadonlySet<string>, z.ZodObject>();

/** The schema of a declaration: the built-in keys, and those of other steps, which validate them themselves. */
function schemaFor(served: ReadonlySet<string>): z.ZodObject {
  const made = schemas.get(served);
  if (made !== undefined) return made;
  const others = [...served].filter((key) => !knownKeys.includes(key));
  const inner = others.filter((key) => key.startsWith("experimental.")).map((key) => key.slice("experimental.".length));
  const outer = others.filter((key) => !key.includes("."));
  const schema = z.strictObject({
    ...keys,
    ...Object.fromEntries(outer.map((key) => [key, z.unknown().optional()])),
    experimental: z
      .strictObject({ ...experimental, ...Object.fromEntries(inner.map((key) => [key, z.unknown().optional()])) })
      .optional(),
  });
  schemas.set(served, schema);
  return schema;
}

/** Express accepts it and never matches it, because every request path starts with a slash. */
function pathIssues(path: unknown): string[] {
  if (typeof path !== "string" || path === "" || /^[/{*]/.test(path)) return [];
  return [`path: found ${JSON.stringify(path)}, which matches no request. Did you mean ${JSON.stringify(`/${path}`)}?`];
}

function contradictions({ config }: DeclaredRoute): string[] {
  const { bodyParser, validation, experimental } = config;
  const issues: string[] = [];
  if (bodyParser === false && validation?.body) {
    issues.push("bodyParser: false leaves validation.body nothing to validate.");
  }
  if (bodyParser === false && experimental?.uploads !== undefined) {
    issues.push("bodyParser: false contradicts experimental.uploads, which reads the body.");
  }
  if (Array.isArray(bodyParser) && experimental?.uploads !== undefined) {
    if (bodyParser.some((entry) => isPlainObject(entry) && entry.parser === "multipart")) {
      issues.push("The parser multipart discards the files that experimental.uploads expects.");
    }
  }
  return issues;
}

/** Only a Zod object schema has known keys. */
function missingParams({ path, config }: DeclaredRoute): string[] {
  const schema = config.validation?.params;
  if (!isZodSchema(schema) || typeof path !== "string") return [];
  const { shape } = schema._zod.def as { readonly shape?: Readonly<Record<string, unknown>> };
  if (shape === undefined) return [];
  return paramNames(path)
    .filter((name) => !Object.hasOwn(shape, name))
    .map((name) => `The path has :${name}, which is missing in validation.params.`);
}

/** Documented path parameters that do not exist. */
function unknownParams({ path, config }: DeclaredRoute): string[] {
  const { openapi } = config.experimental ?? {};
  if (!isPlainObject(openapi) || !Array.isArray(openapi.parameters) || typeof path !== "string") return [];
  const names = paramNames(path);
  return openapi.parameters.flatMap((parameter: unknown, index) => {
    if (!isPlainObject(parameter) || parameter.in !== "path" || names.includes(String(parameter.name))) return [];
    return [`experimental.openapi.parameters.${index}.name: The path has no :${String(parameter.name)}.`];
  });
}

const paramNames = (path: string): readonly string[] =>
  [...path.matchAll(/(?<!\\)[:*]([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu)].map((match) => match[1] as string);
