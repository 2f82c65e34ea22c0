import { isDeepStrictEqual } from "node:util";
import { isHttpError } from "@servicekit/core";
import { fromJsonPointer, isPlainObject } from "@servicekit/core/internal";
import { ormErrors } from "@servicekit/prisma/internal";
import type { Request, RequestHandler } from "express";
import { rawSearch } from "../request/raw-path.js";
import { addModelState, modelState } from "../request/request-state.js";
import { modelErrors } from "../resource/errors.js";

/** Stores the request's input before hooks can change it, so that errors of hooks are not attributed to the client. */
export const copyInput: RequestHandler = (request, _response, next) => {
  addModelState(request, { input: { body: copy(request.body), query: copy(request.query) } });
  next();
};

/**
 * A handler whose errors are attributed (contract C62): an error caused by a hook's change of the body or the query is
 * a 500 that names the hooks in the log, and arguments that Prisma rejects in a client's own `prismaQueryOptions` are a
 * 400.
 *
 * @param hooks the hooks that run before the handler, as in messages
 */
export function attributeErrors(handler: RequestHandler, hooks: string | undefined): RequestHandler {
  return async (request, response, next) => {
    try {
      await handler(request, response, next);
    } catch (error) {
      throw attribute(error, request, hooks);
    }
  };
}

function attribute(error: unknown, request: Request, hooks: string | undefined): unknown {
  if (!isHttpError(error)) return error;
  const { code, message, cause, status, errors = [] } = error;
  if (code === "InvalidArguments") {
    const changed = hooks === undefined ? [] : changedPlaces(request);
    if (hooks !== undefined && changed.length > 0) return hookError(hooks, changed, message, cause);
    return usesPrismaOptions(request) ? optionsError(error) : error;
  }
  if (hooks === undefined || !hookCodes.has(code) || (status !== 400 && status !== 413)) return error;
  if (errors.length === 0 || !errors.every((issue) => isOfHook(issue, request))) return error;
  const issues = errors.map((issue) => `${issue.in} ${issue.path}: ${issue.message}`).join(" ");
  return hookError(hooks, changedPlaces(request), `${code}: ${issues}`, cause ?? error);
}

function hookError(hooks: string, changed: readonly string[], what: string, cause: unknown) {
  return modelErrors.HookError(`${hooks} changed ${changed.join(", ")}, which cannot be executed: ${what}`, {
    cause,
  });
}

/** Errors that a valid body cannot cause; a database constraint can be violated by either. */
const hookCodes: ReadonlySet<string> = new Set([
  "BulkTooLarge",
  "InvalidQuery",
  "InvalidValue",
  "RelatedRecordNotFound",
  "RequiredValue",
  "TooDeep",
  "ValidationError",
  "ValueOutOfRange",
  "ValueTooLong",
]);

function isOfHook({ in: part, path }: { readonly in: string; readonly path: string }, request: Request): boolean {
  const { input } = modelState(request);
  if (input === undefined) return false;
  if (part === "body") return !isDeepStrictEqual(at(input.body, path), at(request.body, path));
  return part === "query" && !isDeepStrictEqual(input.query, copy(request.query));
}

/** What hooks have changed, for the log: the fields of the body, and the query. */
function changedPlaces(request: Request): readonly string[] {
  const { input } = modelState(request);
  if (input === undefined) return [];
  const isList = Array.isArray(input.body) && Array.isArray(request.body);
  const places = isList
    ? request.body.flatMap((row: unknown, index: number) =>
        changedFields(at(input.body, `/${index}`), row).map((name) => `/${index}${name}`),
      )
    : changedFields(input.body, request.body);
  const named = places
    .slice(0, maxNamed)
    .map((place: string) => `${place === "" ? "the complete body" : `${place} of the body`}`);
  return isOfHook({ in: "query", path: "" }, request) ? [...named, "the query"] : named;
}

const maxNamed = 5;

function changedFields(before: unknown, now: unknown): readonly string[] {
  if (!isPlainObject(before) || !isPlainObject(now)) return isDeepStrictEqual(before, copy(now)) ? [] : [""];
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].flatMap((name) => (isDeepStrictEqual(before[name], now[name]) ? [] : [`/${name}`]));
}

const usesPrismaOptions = (request: Request): boolean => /(?:^|[?&])prismaQueryOptions\b/.test(rawSearch(request));

function optionsError(cause: unknown) {
  const message = "Prisma rejects these options.";
  const path = "/prismaQueryOptions";
  return ormErrors.InvalidQuery(message, { cause, errors: [{ in: "query", path, code: "InvalidValue", message }] });
}

/** The value at a JSON Pointer. */
function at(value: unknown, pointer: string): unknown {
  let found = value;
  for (const name of fromJsonPointer(pointer)) {
    found =
      typeof found === "object" && found !== null && Object.hasOwn(found, name) ? Reflect.get(found, name) : undefined;
  }
  return found;
}

/** Copies plain objects and lists; their values are shared. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
}
