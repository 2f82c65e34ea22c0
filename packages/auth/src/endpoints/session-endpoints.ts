import { httpErrors } from "@servicekit/core";
import type { Request, Response } from "express";
import { z } from "zod";
import { refuseCrossSite } from "../authentication/cross-site.js";
import type { ShownSession } from "../credentials/session-rows.js";
import type { Sessions as AnySessions } from "../credentials/sessions.js";
import { invalidRefreshToken } from "../errors.js";
import { clientOf } from "../limits/client-of.js";
import { clearCookies, readRefreshCookie } from "../tokens/token-carrier.js";
import type { UserRecord } from "../users/user-store.js";
import { accountOf, bodyOf, type Endpoint, type EndpointContext, giveTokens, localsOf } from "./endpoint.js";
import { plainTextSchema } from "./plain-text.js";

type Sessions = AnySessions<UserRecord>;

/** The endpoints of sessions; none where the schema has no model for them. */
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

/** `POST /auth/refresh`: the next refresh token and a fresh access token for a refresh token. */
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
      await giveTokens(refreshed.user, refreshed.held, response, context);
    },
    documentation: {
      summary: "Refresh the access token",
      description:
        "Takes the refresh token of the body, or of the cookie, and gives the next one: each is good once. One that was used before ends its session, but for the ten seconds after its use, in which it is given the same answer.",
      errors: [
        { status: 401, code: "InvalidRefreshToken", description: "The refresh token is not valid, or no longer." },
      ],
    },
  };
}

/** The body wins, as a header does over a cookie. */
function readRefreshToken(request: Request, { settings, allowedOrigins }: EndpointContext): string {
  const { refreshToken } = bodyOf(request);
  if (refreshToken !== undefined) return String(refreshToken);
  const token = readRefreshCookie(request, settings.jwt);
  if (token === undefined) throw invalidRefreshToken();
  refuseCrossSite(request, allowedOrigins);
  return token;
}

/** `GET /auth/sessions`: where the caller is signed in. */
function listEndpoint(context: EndpointContext, sessions: Sessions): Endpoint {
  return {
    method: "get",
    path: "/auth/sessions",
    operation: "listSessions",
    authentication: true,
    body: false,
    status: 200,
    answer: listAnswer,
    async run(request, response) {
      const { record, claims } = accountOf(request, context);
      await answerList(sessions, record, response, claims.sid);
    },
    documentation: { summary: "My sessions", description: "Where the current user is signed in, the last seen first." },
  };
}

/** `DELETE /auth/sessions/:id`: one of the caller's, this one too. */
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
      description: "Its tokens are not accepted again.",
      errors: [notFound],
    },
  };
}

/** `DELETE /auth/sessions`: all of the caller's but this one. */
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
    documentation: { summary: "End my other sessions", description: "All but the one of the request." },
  };
}

const notFound = { status: 404, code: "NotFound", description: "There is no such user, or session." } as const;

/** `/users/:id/sessions`: the same for any user, by superusers or whoever the stored rules let. */
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
      answer: listAnswer,
      run: async (request, response) => answerList(sessions, await userOf(request), response, sidOf(request)),
      documentation: { summary: "The sessions of a user", description: "The last seen first.", errors: [notFound] },
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
        description: "Whoever has them signs in again.",
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
        description: "Its tokens are not accepted again.",
        errors: [notFound],
      },
    },
  ];
}

/** What is no id of a session is that of none. */
function idOf(request: Request, name: string): string {
  const id = String(request.params[name]);
  if (!/^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/.test(id)) throw httpErrors.NotFound();
  return id;
}

async function answerList(
  sessions: Sessions,
  user: UserRecord,
  response: Response,
  current: string | undefined,
): Promise<void> {
  const found = await sessions.list(user);
  localsOf(response).answer = found.map((session) => toAnswer(session, current));
}

const toAnswer = ({ rotatedAt: _, ...session }: ShownSession, current: string | undefined) => ({
  ...session,
  isCurrent: session.id === current,
});

const date = { type: "string", format: "date-time" };
const mayMiss = (description: string) => ({ anyOf: [{ type: "string" }, { type: "null" }], description });

const listAnswer = {
  description: "The sessions, at most a hundred.",
  component: "AuthSessionInfo",
  isList: true,
  schema: {
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      createdAt: date,
      seenAt: { ...date, description: "When it was begun, or last refreshed." },
      expiresAt: date,
      address: mayMiss("From where; only if the model keeps it."),
      userAgent: mayMiss("With which program; only if the model keeps it."),
      isCurrent: { type: "boolean", description: "Whether it is the session of this very request." },
    },
    required: ["id", "createdAt", "seenAt", "expiresAt", "isCurrent"],
  },
} as const;
