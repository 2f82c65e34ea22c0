import { isDeepStrictEqual } from "node:util";
import { isHttpError } from "@servicekit/core";
import { fromJsonPointer, isPlainObject } from "@servicekit/core/internal";
import { ormErrors } from "@servicekit/prisma/internal";
import type { Request, RequestHandler } from "express";
import { rawSearch } from "../request-path.js";
import { addModelState, modelState } from "../request-state.js";
import { modelErrors } from "../resource/errors.js";

/** Keeps what the request asks before hooks can change it, so that what they changed is not told to be the client's. */
export const keepAsked: RequestHandler = (request, _response, next) => {
  addModelState(request, { asked: { body: copy(request.body), query: copy(request.query) } });
  next();
};

/**
 * A handler whose faults are told to whom they belong (contract C62): what a hook has put into the body or the query is a
 * 500 that names the hooks in the log, and what Prisma refuses of a client's own `prismaQueryOptions` a 400.
 *
 * @param hooks the hooks that run before the handler, as messages name them
 */
export function blamingHooks(handler: RequestHandler, hooks: string | undefined): RequestHandler {
  return async (request, response, next) => {
    try {
      await handler(request, response, next);
    } catch (error) {
      throw blamed(error, request, hooks);
    }
  };
}

function blamed(error: unknown, request: Request, hooks: string | undefined): unknown {
  if (!isHttpError(error)) return error;
  const { code, message, cause, status, errors = [] } = error;
  if (code === "InvalidArguments") {
    const changed = hooks === undefined ? [] : changedPlaces(request);
    if (hooks !== undefined && changed.length > 0) return hookFault(hooks, changed, message, cause);
    return asksByOptions(request) ? optionsError(error) : error;
  }
  if (hooks === undefined || !hookCodes.has(code) || (status !== 400 && status !== 413)) return error;
  if (errors.length === 0 || !errors.every((fault) => isOfHook(fault, request))) return error;
  const told = errors.map((fault) => `${fault.in} ${fault.path}: ${fault.message}`).join(" ");
  return hookFault(hooks, changedPlaces(request), `${code}: ${told}`, cause ?? error);
}

function hookFault(hooks: string, changed: readonly string[], what: string, cause: unknown) {
  return modelErrors.HookFault(`${hooks} changed ${changed.join(", ")}, which cannot be carried out: ${what}`, {
    cause,
  });
}

/** Faults that a valid body does not have; a rule of the database's own can be broken by either. */
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
  const { asked } = modelState(request);
  if (asked === undefined) return false;
  if (part === "body") return !isDeepStrictEqual(at(asked.body, path), at(request.body, path));
  return part === "query" && !isDeepStrictEqual(asked.query, copy(request.query));
}

/** What hooks have changed, for the log: the fields of the body, and the query as a whole. */
function changedPlaces(request: Request): readonly string[] {
  const { asked } = modelState(request);
  if (asked === undefined) return [];
  const isList = Array.isArray(asked.body) && Array.isArray(request.body);
  const places = isList
    ? request.body.flatMap((row: unknown, index: number) =>
        changedFields(at(asked.body, `/${index}`), row).map((name) => `/${index}${name}`),
      )
    : changedFields(asked.body, request.body);
  const told = places.slice(0, mostTold).map((place: string) => `the body's ${place === "" ? "whole" : place}`);
  return isOfHook({ in: "query", path: "" }, request) ? [...told, "the query"] : told;
}

const mostTold = 5;

function changedFields(before: unknown, now: unknown): readonly string[] {
  if (!isPlainObject(before) || !isPlainObject(now)) return isDeepStrictEqual(before, copy(now)) ? [] : [""];
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].flatMap((name) => (isDeepStrictEqual(before[name], now[name]) ? [] : [`/${name}`]));
}

const asksByOptions = (request: Request): boolean => /(?:^|[?&])prismaQueryOptions\b/.test(rawSearch(request));

function optionsError(cause: unknown) {
  const message = "Prisma refuses these options.";
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

/** Plain objects and lists anew; what stands in them is shared. */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
}
