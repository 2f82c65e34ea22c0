import { sendJson } from "@servicekit/router";
import { composeHandlers, hookHandlers } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { AuthHooks } from "../module/auth-module.js";
import type { AuthHookName } from "../module/module-kind.js";
import type { UserRow } from "../users/user-store.js";
import { type AuthLog, type Endpoint, localsOf } from "./endpoint.js";

/** What the handlers of an endpoint are made with. */
export interface EndpointHandlersOptions {
  readonly hooks: AuthHooks;
  readonly log: AuthLog;
  /** A user as an answer shows it. */
  readonly show: (user: UserRow) => Record<string, unknown>;
  /** Whether an access token stands in the answer. */
  readonly showsToken: boolean;
}

/** The handlers of an endpoint in order: guards, before hooks, the act, after hooks, the answer (contract C45). */
export function endpointHandlers(endpoint: Endpoint, options: EndpointHandlersOptions): readonly RequestHandler[] {
  const { act, guards = [] } = endpoint;
  const { hooks, log } = options;
  const around = (time: "before" | "after"): readonly RequestHandler[] => {
    if (act === undefined) return [];
    const name: AuthHookName = `${time}${act}`;
    return hookHandlers(hooks[name], name, (error, request) => log(error, `the hook ${name} failed too late`, request));
  };
  const run: RequestHandler = async (request, response, next) => {
    await endpoint.run(request, response);
    response.status(endpoint.status);
    next();
  };
  return [
    noStore,
    ...guards,
    ...around("before"),
    withoutCookieOnError(composeHandlers([run, ...around("after")])),
    sendAnswer(options),
  ];
}

/** No cache keeps an answer of authentication (contract C43). */
export const noStore: RequestHandler = function noStore(_request, response, next) {
  response.setHeader("Cache-Control", "no-store");
  next();
};

/** An error after the act, such as that of an after hook, answers without the cookie that the act has set. */
function withoutCookieOnError(handler: RequestHandler): RequestHandler {
  return function runAct(request, response, next) {
    const before = response.getHeader("Set-Cookie");
    const done = (error?: unknown): void => {
      if (error !== undefined && error !== null && !response.headersSent) {
        if (before === undefined) response.removeHeader("Set-Cookie");
        else response.setHeader("Set-Cookie", before);
      }
      next(error);
    };
    return handler(request, response, done);
  };
}

function sendAnswer({ show, showsToken }: EndpointHandlersOptions): RequestHandler {
  return function sendAnswer(_request, response) {
    if (response.headersSent) return;
    const { data, accessToken, refreshToken, answer } = localsOf(response);
    if (response.statusCode === 204) {
      response.end();
      return;
    }
    if (answer !== undefined) {
      sendJson(response, response.statusCode, { data: answer });
      return;
    }
    sendJson(response, response.statusCode, {
      data: data === undefined ? null : show(data),
      ...(accessToken === undefined || !showsToken ? {} : { accessToken: accessToken.token }),
      ...(accessToken === undefined ? {} : { expiresAt: accessToken.expiresAt.toISOString() }),
      ...(refreshToken === undefined || !showsToken ? {} : { refreshToken: refreshToken.token }),
      ...(refreshToken === undefined ? {} : { refreshExpiresAt: refreshToken.expiresAt.toISOString() }),
    });
  };
}
