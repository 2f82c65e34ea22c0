import {
  type DeclaredRoute,
  type DocumentedError,
  type DocumentObject,
  type RouteDocumentation,
} from "@servicekit/router";
import { requiredAuthentication } from "@servicekit/router/internal";
import type { Credential } from "./security-schemes.js";

const error = (status: number, code: string, description: string): DocumentedError => ({ status, code, description });

/** The checks around every route that can reject a request before, or instead of, its handlers. */
export interface DocumentContext {
  /** Whether a rate limit applies to this route. */
  readonly isLimited: (route: DeclaredRoute) => boolean;
  /** Whether declared `authentication` is enforced. */
  readonly isAuthenticated: boolean;
  /** Whether requests have a time limit. */
  readonly hasTimeLimit: boolean;
  /** The errors that the steps of a route can return. */
  readonly errorsOf?: (route: DeclaredRoute) => readonly DocumentedError[];
  /** The parameters that the steps of a route read from headers. */
  readonly parametersOf?: (route: DeclaredRoute) => readonly DocumentObject[];
  /** The credentials of the callers of a route, or of any. @default an access token, in the header or the cookie */
  readonly credentialsOf?: ((route?: DeclaredRoute) => readonly Credential[]) | undefined;
}

/** The kinds of credentials. */
export const credentialsOf = ({ credentialsOf: own }: DocumentContext, route?: DeclaredRoute): readonly Credential[] =>
  own === undefined ? ["bearer", "cookie"] : own(route);

/** The body of every error response (contract C3). */
export const problemSchema: DocumentObject = {
  type: "object",
  description: "What went wrong (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference", description: "The type of the problem." },
    title: { type: "string", description: "The phrase of the status." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "A sentence that describes this occurrence." },
    instance: { type: "string", description: "The path of the request." },
    code: { type: "string", pattern: "^[A-Z][A-Za-z0-9]*$", description: "The error code, which is stable." },
    requestId: { type: "string", description: "The request id, under which the log has this request." },
    errors: {
      type: "array",
      description: "The invalid places of the request.",
      items: {
        type: "object",
        properties: {
          in: { type: "string", enum: ["body", "query", "params", "headers", "files"] },
          path: { type: "string", description: "A JSON Pointer (RFC 6901)." },
          code: { type: "string" },
          message: { type: "string" },
        },
        required: ["in", "path", "code", "message"],
      },
    },
  },
  required: ["type", "title", "status", "detail", "instance", "code"],
};

/** Every error that an operation can return, its own and those of the steps around it. */
export function errorsOf(
  route: DeclaredRoute,
  known: RouteDocumentation,
  surrounding: DocumentContext,
): readonly DocumentedError[] {
  const { config, method } = route;
  const { validation, authentication, experimental, bodyParser, queryParser } = config;
  const readsBody = method !== "GET" && bodyParser !== false;
  const isChecked = [validation?.body, validation?.query, validation?.params].some(Boolean);
  const found: DocumentedError[] = [...(known.errors ?? []), ...(surrounding.errorsOf?.(route) ?? [])];
  found.push(error(400, "BadRequest", "The request is malformed: a percent encoding, a header or the body."));
  if (isChecked || experimental?.uploads !== undefined) {
    found.push(error(400, "ValidationError", "A value is invalid; `errors` names each place."));
  }
  if (queryParser !== false) {
    for (const code of [
      "MalformedQuery",
      "ForbiddenKey",
      "QueryLimitExceeded",
      "EmptyGroup",
      "ConflictingFilters",
      "InvalidOperand",
    ]) {
      found.push(error(400, code, "The query is invalid; `errors` names the parameter."));
    }
  }
  if (surrounding.isAuthenticated && requiredAuthentication(authentication) !== false) {
    found.push(error(401, "Unauthorized", "The request is not authenticated, or the token is invalid or expired."));
    if (typeof authentication === "object")
      found.push(error(403, "Forbidden", "The user does not have the permission."));
    if (method !== "GET") {
      found.push(error(403, "CrossSiteRequest", "A page of another site sent the request with the user's cookie."));
    }
  }
  found.push(error(406, "NotAcceptable", "The Accept header excludes the media types of this route."));
  if (readsBody) {
    found.push(error(408, "RequestTimeout", "The body did not arrive in time."));
    found.push(error(413, "PayloadTooLarge", "The body is too large."));
    found.push(
      error(415, "UnsupportedMediaType", "The media type or charset of the body is not accepted by this route."),
    );
  }
  found.push(error(414, "UriTooLong", "The URL is too long."));
  if (surrounding.isLimited(route)) {
    found.push(
      error(429, "TooManyRequests", "The client sent too many requests. Retry after the time in `Retry-After`."),
    );
  }
  found.push(error(500, "InternalServerError", "Something went wrong on the server."));
  if (surrounding.hasTimeLimit) found.push(error(504, "GatewayTimeout", "The response took too long."));
  return found;
}
