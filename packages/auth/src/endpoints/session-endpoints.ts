import { httpErrors } from "@servicekit/core";
import type { Request, Response } from "express";
import { z } from "zod";
import { rejectCrossSite } from "../authentication/cross-site.js";
import type { ShownSession } from "../credentials/session-rows.js";
import type { Sessions as AnySessions } from "../credentials/sessions.js";
import { invalidRefreshToken } from "../errors.js";
import { clientOf } from "../limits/client-of.js";
import { clearCookies, readRefreshCookie } from "../tokens/token-carrier.js";
import type { UserRecord } from "../users/user-store.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, giveTokens, localsOf } from "./endpoint.js";
import { plainTextSchema } from "./plain-text.js";

type Sessions = AnySessions<UserRecord>;

/** The endpoints of sessions; none if the schema has no model for them. */
export function sessionEndpoints(context: EndpointContext): readonly Endpoint[] {
  const { sessions } = context;
  if (sessions === undefined) return [];
  return [
    refreshEndpoint(context, sessions),
    listEndpoint(context, sessions),
    endOthersEndpoint(context, sessions),
    endEndpoint(context, sessions),
    ...administeredEndpoints(context, sessions),
  ];
}

/** `POST /auth/refresh`: exchanges a refresh token for the next one and a new access token. */
function refreshEndpoint(context: EndpointContext, sessions: Sessions): Endpoint {
  return {
    method: "post",
    path: "/auth/refresh",
    body: z.strictObject({ refreshToken: plainTextSchema.optional() }).optional(),
    status: 200,
    givesToken: true,
    async run(request, response) {
      const refreshed = await sessions.refresh(readRefreshToken(request, context), clientOf(request));
      if (refreshed === undefined) throw invalidRefreshToken();
      await giveTokens(refreshed.user, refreshed.session, response, context);
    },
    documentation: {
      summary: "Refresh the access token",
      description:
        "Takes the refresh token from the body or the cookie and returns the next one. Each token can be used once. A second use ends the session, except within ten seconds of the first, when it returns the same response.",
      errors: [{ status: 401, code: "InvalidRefreshToken", description: "The refresh token is invalid or expired." }],
    },
  };
}

/** The body has precedence, as a header has over a cookie. */
function readRefreshToken(request: Request, { settings, allowedOrigins }: EndpointContext): string {
  const { refreshToken } = bodyOf(request);
  if (refreshToken !== undefined) return String(refreshToken);
  const token = readRefreshCookie(request, settings.jwt);
  if (token === undefined) throw invalidRefreshToken();
  rejectCrossSite(request, allowedOrigins);
  return token;
}

/** `GET /auth/sessions`: the sessions of the caller. */
function listEndpoint(context: EndpointContext, sessions: Sessions): Endpoint {
  return {
    method: "get",
    path: "/auth/sessions",
    operation: "listSessions",
    authentication: true,
    body: false,
    status: 200,
    response: listResponse,
    async run(request, response) {
      const { record, claims } = accountOf(request, context);
      await respondWithList(sessions, record, response, claims.sid);
    },
    documentation: { summary: "List my sessions", description: "Sorted by last use, newest first." },
  };
}

/** `DELETE /auth/sessions/:id`: ends one of the caller's sessions, including the current one. */
function endEndpoint(context: EndpointContext, sessions: Sessions): Endpoint {
  return {
    method: "delete",
    path: "/auth/sessions/:id",
    operation: "endSession",
    authentication: true,
    body: false,
    status: 204,
    async run(request, response) {
      const { record, claims } = accountOf(request, context);
      const id = idOf(request, "id");
      if (!(await sessions.end(id, record.id))) throw httpErrors.NotFound();
      if (id === claims.sid) clearCookies(response, context.settings.jwt, true);
    },
    documentation: {
      summary: "End one of my sessions",
      description: "Revokes its tokens.",
      errors: [notFound],
    },
  };
}

/** `DELETE /auth/sessions`: ends all of the caller's sessions except the current one. */
function endOthersEndpoint(context: EndpointContext, sessions: Sessions): Endpoint {
  return {
    method: "delete",
    path: "/auth/sessions",
    operation: "endOtherSessions",
    authentication: true,
    body: false,
    status: 204,
    async run(request) {
      const { record, claims } = accountOf(request, context);
      await sessions.endAll(record.id, claims.sid);
    },
    documentation: { summary: "End my other sessions", description: "Ends all sessions except that of the request." },
  };
}

const notFound = { status: 404, code: "NotFound", description: "The user or the session does not exist." } as const;

/** `/users/:id/sessions`: the same for any user, by superusers or callers with the stored permission. */
function administeredEndpoints(context: EndpointContext, sessions: Sessions): readonly Endpoint[] {
  const path = "/users/:id/sessions";
  const right = (action: string) => ({ resource: "auth-session", action });
  const userOf = async (request: Request): Promise<UserRecord> => {
    const user = await context.users.findById(String(request.params.id));
    if (user === undefined) throw httpErrors.NotFound();
    return user;
  };
  const sidOf = (request: Request): string | undefined => accountOf(request, context).claims.sid;
  return [
    {
      method: "get",
      path,
      operation: "listUserSessions",
      authentication: right("View"),
      body: false,
      status: 200,
      response: listResponse,
      run: async (request, response) => respondWithList(sessions, await userOf(request), response, sidOf(request)),
      documentation: {
        summary: "List the sessions of a user",
        description: "Sorted by last use, newest first.",
        errors: [notFound],
      },
    },
    {
      method: "delete",
      path,
      operation: "endUserSessions",
      authentication: right("Delete"),
      body: false,
      status: 204,
      run: async (request) => sessions.endAll((await userOf(request)).id),
      documentation: {
        summary: "End all sessions of a user",
        description: "The user has to sign in again.",
        errors: [notFound],
      },
    },
    {
      method: "delete",
      path: `${path}/:sessionId`,
      operation: "endUserSession",
      authentication: right("Delete"),
      body: false,
      status: 204,
      async run(request) {
        const { id } = await userOf(request);
        if (!(await sessions.end(idOf(request, "sessionId"), id))) throw httpErrors.NotFound();
      },
      documentation: {
        summary: "End a session of a user",
        description: "Revokes its tokens.",
        errors: [notFound],
      },
    },
  ];
}

/** An invalid id is an unknown one. */
function idOf(request: Request, name: string): string {
  const id = String(request.params[name]);
  if (!/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(id)) throw httpErrors.NotFound();
  return id;
}

async function respondWithList(
  sessions: Sessions,
  user: UserRecord,
  response: Response,
  current: string | undefined,
): Promise<void> {
  const found = await sessions.list(user);
  localsOf(response).response = found.map((session) => toResponse(session, current));
}

const toResponse = ({ rotatedAt: _, ...session }: ShownSession, current: string | undefined) => ({
  ...session,
  isCurrent: session.id === current,
});

const date = { type: "string", format: "date-time" };
const mayMiss = (description: string) => ({ anyOf: [{ type: "string" }, { type: "null" }], description });

const listResponse = {
  description: "The sessions, at most 100.",
  component: "AuthSessionInfo",
  isList: true,
  schema: {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      createdAt: date,
      seenAt: { ...date, description: "When it was started or last refreshed." },
      expiresAt: date,
      address: mayMiss("The client's address. Only if the model has the field."),
      userAgent: mayMiss("The client's user agent. Only if the model has the field."),
      isCurrent: { type: "boolean", description: "Whether it is the session of this request." },
    },
    required: ["id", "createdAt", "seenAt", "expiresAt", "isCurrent"],
  },
} as const;
