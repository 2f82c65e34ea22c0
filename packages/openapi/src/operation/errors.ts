import {
  type DeclaredRoute,
  type DocumentedError,
  type DocumentObject,
  type RouteDocumentation,
} from "@servicekit/router";
import { requiredAuthentication } from "@servicekit/router/internal";
import type { Credential } from "./security-schemes.js";

const error = (status: number, code: string, description: string): DocumentedError => ({ status, code, description });

/** What surrounds every route and can refuse a request before, or in place of, its handlers. */
export interface Surrounding {
  /** Whether a rate limit counts this route. */
  readonly isLimited: (route: DeclaredRoute) => boolean;
  /** Whether declared `authentication` is served. */
  readonly isAuthenticated: boolean;
  /** Whether requests have a time limit. */
  readonly hasTimeLimit: boolean;
  /** The errors that the steps of a route say they can answer. */
  readonly errorsOf?: (route: DeclaredRoute) => readonly DocumentedError[];
  /** The parameters that the steps of a route read from headers. */
  readonly parametersOf?: (route: DeclaredRoute) => readonly DocumentObject[];
  /** What a caller of a route, or of any, can show of who it is. @default an access token, in the header or the cookie */
  readonly credentialsOf?: ((route?: DeclaredRoute) => readonly Credential[]) | undefined;
}

/** What a caller can show of who it is. */
export const credentialsOf = ({ credentialsOf: own }: Surrounding, route?: DeclaredRoute): readonly Credential[] =>
  own === undefined ? ["bearer", "cookie"] : own(route);

/** The body of every error answer (contract C3). */
export const problemSchema: DocumentObject = {
  type: "object",
  description: "What went wrong (RFC 9457).",
  properties: {
    type: { type: "string", format: "uri-reference", description: "What kind of problem this is." },
    title: { type: "string", description: "The words of the status." },
    status: { type: "integer", minimum: 400, maximum: 599 },
    detail: { type: "string", description: "What went wrong this time, in a sentence." },
    instance: { type: "string", description: "The path of the request." },
    code: { type: "string", pattern: "^[A-Z][A-Za-z0-9]*$", description: "The kind of problem, in one stable word." },
    requestId: { type: "string", description: "What the log has this request under." },
    errors: {
      type: "array",
      description: "The places in the request that are at fault.",
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

/** Every error that an operation can really answer, of its own and of the steps around it. */
export function errorsOf(
  route: DeclaredRoute,
  known: RouteDocumentation,
  surrounding: Surrounding,
): readonly DocumentedError[] {
  const { config, method } = route;
  const { validation, authentication, experimental, bodyParser, queryParser } = config;
  const readsBody = method !== "GET" && bodyParser !== false;
  const isChecked = [validation?.body, validation?.query, validation?.params].some(Boolean);
  const found: DocumentedError[] = [...(known.errors ?? []), ...(surrounding.errorsOf?.(route) ?? [])];
  found.push(error(400, "BadRequest", "The request cannot be understood: a percent code, a header or a body."));
  if (isChecked || experimental?.uploads !== undefined) {
    found.push(error(400, "ValidationError", "A value is not valid; `errors` names each place."));
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
      found.push(error(400, code, "The query is not valid; `errors` names the parameter."));
    }
  }
  if (surrounding.isAuthenticated && requiredAuthentication(authentication) !== false) {
    found.push(error(401, "Unauthorized", "No user is signed in, or the token is not valid any more."));
    if (typeof authentication === "object") found.push(error(403, "Forbidden", "The user may not do this."));
    if (method !== "GET") {
      found.push(error(403, "CrossSiteRequest", "A page of another site sent the request with the user's cookie."));
    }
  }
  found.push(error(406, "NotAcceptable", "The Accept header excludes what this route answers with."));
  if (readsBody) {
    found.push(error(408, "RequestTimeout", "The body did not arrive in time."));
    found.push(error(413, "PayloadTooLarge", "The body is too large."));
    found.push(error(415, "UnsupportedMediaType", "The body is in a format or charset that this route does not take."));
  }
  found.push(error(414, "UriTooLong", "The URL is too long."));
  if (surrounding.isLimited(route)) {
    found.push(error(429, "TooManyRequests", "The client sent too many requests; `Retry-After` says when to go on."));
  }
  found.push(error(500, "InternalServerError", "Something went wrong on the server."));
  if (surrounding.hasTimeLimit) found.push(error(504, "GatewayTimeout", "The answer took too long."));
  return found;
}
