import { AsyncLocalStorage } from "node:async_hooks";
import type { ReadSession, WalPosition } from "@servicekit/prisma/internal";
import { readCookie } from "@servicekit/router/internal";
import type { CookieOptions, Request, RequestHandler, Response } from "express";
import type { ConsistencyTokens, Needed } from "./consistency-token.js";
import { holdResponse } from "./hold-response.js";

/** The header with the token, of responses to writes and of the requests after them. */
export const consistencyHeader = "Consistency-Token";
const cookieName = "consistency_token";

/** Lets each client read its own writes from replicas (contract C122). */
export interface Consistency {
  /** Reads the token of a request, and sends one with the response to a write. */
  readonly handler: RequestHandler;
  /** The reads of the request for which the running code works; `undefined` outside of requests. */
  readonly session: () => ReadSession | undefined;
}

/** Options of `makeConsistency`. */
export interface ConsistencyOptions {
  readonly tokens: ConsistencyTokens;
  readonly cookie: Pick<CookieOptions, "secure" | "sameSite">;
  /** Queries a position that contains everything that was committed before the call. */
  readonly position: () => Promise<WalPosition>;
}

const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Creates the handler. The response to a successful request with any other method than GET, HEAD and OPTIONS has a token,
 * because a handler may write in any way. Such a request itself reads from the primary.
 */
export function makeConsistency({ tokens, cookie, position }: ConsistencyOptions): Consistency {
  const storage = new AsyncLocalStorage<ReadSession>();
  const options: CookieOptions = { ...cookie, path: "/", httpOnly: true, maxAge: tokens.lifetimeMs };
  const sendToken = async (response: Response): Promise<void> => {
    // A position that is unknown means that reads use the primary.
    const token = tokens.write(await position().catch((): Needed => "latest"));
    response.setHeader(consistencyHeader, token);
    response.cookie(cookieName, token, options);
  };
  const neededBy = (request: Request): Needed => {
    const found = tokensOf(request).flatMap((token) => tokens.read(token) ?? []);
    return found.reduce<Needed>(
      (most, one) => (most === "latest" || (one !== "latest" && one < most) ? most : one),
      0n,
    );
  };
  return {
    session: () => storage.getStore(),
    handler: function readOwnWrites(request, response, next) {
      if (safe.has(request.method)) {
        const needed = neededBy(request);
        // A request of another one, such as a call of an AI agent, continues its session.
        const outer = needed === 0n ? storage.getStore() : undefined;
        storage.run(outer ?? { needed }, next);
        return;
      }
      holdResponse(response, () => (response.statusCode < 400 ? sendToken(response) : undefined));
      storage.run({ needed: "latest" }, next);
    },
  };
}

function tokensOf({ headers }: Request): readonly string[] {
  return [headers["consistency-token"], readCookie(headers.cookie ?? "", cookieName)].filter(
    (token) => typeof token === "string",
  );
}
