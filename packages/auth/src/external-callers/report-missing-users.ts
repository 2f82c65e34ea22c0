import type { Caller } from "@servicekit/router";
import { matchOf, routeName } from "@servicekit/router/internal";
import type { Request } from "express";

type Warn = (message: string, details: Readonly<Record<string, unknown>>) => void;

/**
 * Reports once that the application reads the id of a user, although no caller has an account: a row rule that compares
 * it matches no row.
 */
export function reportMissingUsers(warn: Warn): (request: Request, caller: Caller) => void {
  let isReported = false;
  return (request, { identifiedBy }) => {
    if (isReported) return;
    isReported = true;
    const { route } = matchOf(request) ?? {};
    const place = route === undefined ? `${request.method} ${request.baseUrl}${request.path}` : routeName(route);
    warn(
      `${place}: userIdOf(request) is undefined, because authentication.accounts is false and the caller has no account. A rule that compares it matches no row. Use callerOf(request)?.id, or identityOf(caller) if the ids of several issuers can be equal.`,
      { identifiedBy },
    );
  };
}
