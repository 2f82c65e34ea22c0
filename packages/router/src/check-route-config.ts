import type { StartFault } from "@servicekit/errors";
import { checkAuthentication } from "./declaration/authentication.js";
import { checkBodyParser } from "./declaration/body-parser.js";
import { isPlainObject, unknownKey } from "./declaration/check-shape.js";
import { checkCompression } from "./declaration/compression.js";
import { type DeclaredRoute, declaredKeys, declaredValue } from "./declaration/declared-route.js";
import { checkOpenApi } from "./declaration/openapi.js";
import { checkQueryParser } from "./declaration/query-parser.js";
import { checkRateLimit } from "./declaration/rate-limit.js";
import { checkUploads } from "./declaration/uploads.js";
import { checkValidation, isZodSchema } from "./declaration/validation.js";

const checks: Readonly<Record<string, (value: unknown) => string[]>> = {
  path: (value) => (typeof value === "string" ? [] : ["must be a string."]),
  disabled: (value) => (typeof value === "boolean" ? [] : ["must be true or false."]),
  authentication: checkAuthentication,
  validation: checkValidation,
  rateLimit: checkRateLimit,
  "experimental.uploads": checkUploads,
  "experimental.openapi": checkOpenApi,
  queryParser: checkQueryParser,
  bodyParser: checkBodyParser,
  compression: checkCompression,
};

/** The name of a route in messages: its method, its path and the place of its declaration. */
export function routeName(route: DeclaredRoute): string {
  return `${route.method} ${route.path} (${route.origin.place})`;
}

/**
 * Every fault of one declaration: unknown keys with the nearest known one, keys that no step serves, wrong types,
 * contradictions, and parameters of the path that the `params` schema lacks.
 *
 * @param served the keys that steps or other readers serve
 */
export function checkRouteConfig(route: DeclaredRoute, served: ReadonlySet<string>): StartFault[] {
  const { config } = route;
  const messages: string[] = [];
  const known = [...new Set([...Object.keys(checks), ...served])];
  if (config.experimental !== undefined && !isPlainObject(config.experimental)) {
    messages.push("experimental must be an object.");
  }
  for (const key of declaredKeys(config)) {
    if (!known.includes(key)) {
      messages.push(`The declaration ${unknownKey(key, known)}`);
      continue;
    }
    if (!served.has(key)) messages.push(`${key} is declared, but nothing here serves it.`);
    for (const fault of checks[key]?.(declaredValue(config, key)) ?? []) {
      messages.push(/^[.[]/.test(fault) ? `${key}${fault}` : `${key} ${fault}`);
    }
  }
  messages.push(...contradictions(route), ...missingParams(route));
  return messages.map((message) => ({ where: routeName(route), message }));
}

function contradictions({ config }: DeclaredRoute): string[] {
  const { bodyParser, validation, experimental } = config;
  const faults: string[] = [];
  if (bodyParser === false && validation?.body) {
    faults.push("bodyParser: false leaves no body for validation.body to check.");
  }
  if (bodyParser === false && experimental?.uploads !== undefined) {
    faults.push("bodyParser: false contradicts experimental.uploads, which reads the body.");
  }
  if (Array.isArray(bodyParser) && experimental?.uploads !== undefined) {
    if (bodyParser.some((entry) => entry?.parser === "multipart")) {
      faults.push("The parser multipart drops the files that experimental.uploads waits for.");
    }
  }
  return faults;
}

/** Only a Zod object schema tells its keys. */
function missingParams({ path, config }: DeclaredRoute): string[] {
  const schema = config.validation?.params;
  if (!isZodSchema(schema) || typeof path !== "string") return [];
  const { shape } = schema._zod.def as { readonly shape?: Readonly<Record<string, unknown>> };
  if (shape === undefined) return [];
  const names = [...path.matchAll(/(?<!\\)[:*]([\p{ID_Start}$_][\p{ID_Continue}$]*)/gu)].map(
    (match) => match[1] as string,
  );
  return names
    .filter((name) => !Object.hasOwn(shape, name))
    .map((name) => `The path has :${name}, which validation.params lacks.`);
}
