import { sendJson } from "@servicekit/router";
import { composeHandlers, hookHandlers } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import type { AuthHooks } from "../module/auth-module.js";
import type { AuthHookName } from "../module/module-kind.js";
import type { UserRow } from "../users/user-store.js";
import { type AuthLog, type Endpoint, localsOf } from "./endpoint.js";

/** The dependencies of an endpoint's handlers. */
export interface EndpointHandlersOptions {
  readonly hooks: AuthHooks;
  readonly log: AuthLog;
  /** A user as in a response. */
  readonly show: (user: UserRow) => Record<string, unknown>;
  /** Whether the response contains an access token. */
  readonly showsToken: boolean;
}

/** The handlers of an endpoint in order: guards, before hooks, the action, after hooks, the response (contract C45). */
export function endpointHandlers(endpoint: Endpoint, options: EndpointHandlersOptions): readonly RequestHandler[] {
  const { act, guards = [] } = endpoint;
  const { hooks, log } = options;
  const around = (time: "before" | "after"): readonly RequestHandler[] => {
    if (act === undefined) return [];
    const name: AuthHookName = `${time}${act}`;
    return hookHandlers(hooks[name], name, (error, request) =>
      log(error, `the hook ${name} failed after the response was sent`, request),
    );
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
    sendResult(options),
  ];
}

/** Responses of authentication are never cached (contract C43). */
export const noStore: RequestHandler = function noStore(_request, response, next) {
  response.setHeader("Cache-Control", "no-store");
  next();
};

/** An error after the action, such as that of an after hook, removes the cookie that the action has set. */
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

function sendResult({ show, showsToken }: EndpointHandlersOptions): RequestHandler {
  return function sendResult(_request, response) {
    if (response.headersSent) return;
    const { data, accessToken, refreshToken, response: reply } = localsOf(response);
    if (response.statusCode === 204) {
      response.end();
      return;
    }
    if (reply !== undefined) {
      sendJson(response, response.statusCode, { data: reply });
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
