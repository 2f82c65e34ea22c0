import { isHttpError } from "@servicekit/core";
import { callerOf, type DeclaredRoute } from "@servicekit/router";
import { matchOf, requiredAuthentication, toAccessRule } from "@servicekit/router/internal";
import type { ErrorRequestHandler, Request } from "express";
import type { Logger } from "pino";

/**
 * In development: logs why access to a route was rejected and the line of the configuration that would allow it. The
 * response does not contain it.
 */
export function logRejections(logger: Logger, mode: string | undefined): ErrorRequestHandler {
  return (error, request, _response, next) => {
    const reason = explainRejection(error, request, mode);
    if (reason !== undefined) logger.warn({ requestId: request.id }, reason);
    next(error);
  };
}

/** The reason; `undefined` for every other error. */
export function explainRejection(error: unknown, request: Request, mode: string | undefined): string | undefined {
  const route = matchOf(request)?.route;
  if (!isHttpError(error) || route === undefined || route.origin.resource === "auth") return undefined;
  if (error.code !== "Unauthorized" && error.code !== "Forbidden") return undefined;
  const access = requiredAuthentication(route.config.authentication);
  const place = placeOf(route);
  if (error.code === "Unauthorized") {
    if (access === false) return undefined;
    return `${place.what} requires authentication, and the request has no credentials. Sign in.${fix("To allow everyone instead", place.line("false"))}`;
  }
  const caller = callerOf(request);
  const roles = caller?.roles ?? [];
  if (typeof access !== "object" || caller?.isSuperUser === true) return rowRuleRejection(route);
  const { resource, action, rule } = access;
  if (mode === "dynamic")
    return `${place.what} requires the permission ${JSON.stringify({ resource, action })}. If no role of the caller has it, add it to one. Otherwise the row rule or a hook rejected the request.`;
  if (rule === undefined)
    return `${place.what} has no access rule, so only superusers may use it.${fix("To allow authenticated users", place.line("true"))}`;
  const allowed = toAccessRule(rule).roles;
  if (allowed.includes("*") || allowed.some((role) => roles.includes(role))) return rowRuleRejection(route);
  const added = [...allowed, ...(roles.length === 0 ? ["<role>"] : roles)];
  return `${place.what} allows ${allowed.join(", ")}. The caller has ${roles.length === 0 ? "no role" : roles.join(", ")}.${fix("To allow it", place.line(added))}`;
}

const fix = (purpose: string, line: string | undefined): string => (line === undefined ? "" : ` ${purpose}: ${line}`);

interface Place {
  /** The route in words. */
  readonly what: string;
  /** Returns the line that sets the access rule; `undefined` for a built-in route, which no line of the application declares. */
  readonly line: (value: "true" | "false" | readonly string[]) => string | undefined;
}

function placeOf({ method, path, origin }: DeclaredRoute): Place {
  const { model, operation, resource, place } = origin;
  if (model !== undefined && operation !== undefined) {
    return {
      what: `${operation} of ${model}`,
      line: (value) =>
        `auth: { ${operation}: ${typeof value === "string" ? value : JSON.stringify(value)} } in ${resource}.model.ts`,
    };
  }
  const isOwn = /:\d+$/.test(place);
  return {
    what: `${method} ${path}`,
    line: (value) => {
      if (!isOwn) return undefined;
      if (typeof value === "string") return `authentication: ${value} in ${place}`;
      return `rule: ${JSON.stringify(value)} in authentication, in ${place}`;
    },
  };
}

function rowRuleRejection({ origin }: DeclaredRoute): string | undefined {
  const { model, operation, resource, hasRowRule } = origin;
  if (model === undefined) return undefined;
  const rules = hasRowRule === true ? "auth.where or auth.fields" : "auth.fields, or a rule of a related model";
  return `The caller may use ${operation} of ${model}, but ${rules} rejects this row or field. See ${resource}.model.ts.`;
}
