import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/prisma";
import type { DeclaredRoute, DocumentedError, DocumentObject, RouteStep } from "@servicekit/router";
import { isStoragePrevented, routeName } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import { makeClientBudget } from "./client-budget.js";
import { idempotencyErrors, inProgress } from "./errors.js";
import { readKeyedRequest } from "./keyed-request.js";
import type { DatabaseKeys } from "./keys/database-keys.js";
import type { Claim, KeyStore, StoredResponse } from "./keys/key-store.js";
import { replay, type WatchedResponse, watchResponse } from "./responses.js";

/** The options of idempotent requests. */
export interface IdempotencyOptions {
  readonly keys: KeyStore | DatabaseKeys;
  /** Maximum body size of a stored response, in bytes. @default 1048576 */
  readonly maxBytes?: number;
  /** Maximum bytes of responses stored per client and day. @default 16777216 */
  readonly maxBytesPerClient?: number;
  /** The permissions of a request's caller, besides the roles. @default none */
  readonly permissionsOf?: (request: Request) => readonly string[];
  /** Called if a response could not be stored; its key is free again when the lease expires. */
  readonly log?: (error: unknown, request: Request) => void;
}

/** The response to a write: the headers that are already set, and those that are set when it is sent. */
export interface WrittenResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for a response without a body. */
  readonly text: string;
}

/** Stores the response of a write. */
export interface StoreResponse {
  /** Whether it is stored in the transaction of the write; otherwise it is stored after the commit. */
  readonly isInside: boolean;
  /**
   * @param transaction that of the write, for a store in the same database
   * @throws {HttpError} 409 if another request has claimed the key meanwhile, only inside a transaction
   */
  store(transaction: Database, reply: WrittenResponse): Promise<void>;
}

/** The parts of idempotent request handling. */
export interface Idempotency {
  /** The step of the declaration key `idempotency`: after authentication, before files and validation. */
  readonly step: RouteStep;
  /** Whether a route supports idempotency keys. */
  serves(route: DeclaredRoute): boolean;
  /** Stores the response of a request with its write; `undefined` if nothing is to be stored. */
  responseStoreOf(request: IncomingMessage): StoreResponse | undefined;
}

interface Exchange {
  readonly claim: Claim;
  readonly response: Response;
  /** The owner of the key. */
  readonly owner: string;
  /** Whether the body is within the budget of its client; evaluated once. */
  hasRoom?: boolean;
  watched?: WatchedResponse;
  /** The stored record so far. */
  stored?: StoredResponse | undefined;
}

/**
 * Creates the handling of idempotent requests (contract C49): every write of generated routes, and declared routes with
 * `idempotency: true`. A request without the header passes at no cost.
 */
export function makeIdempotency(options: IdempotencyOptions): Idempotency {
  const { keys, maxBytes = 1024 * 1024, permissionsOf, log } = options;
  const budget = makeClientBudget(options.maxBytesPerClient);
  const hasRoom = (exchange: Exchange, { headers, body }: StoredResponse): boolean => {
    exchange.hasRoom ??= budget.take(exchange.owner, JSON.stringify([headers, body]).length);
    return exchange.hasRoom;
  };
  /** The stored part of a response; of one with a secret, or without budget, only the fact that the request was executed. */
  const storedPart = (exchange: Exchange, reply: StoredResponse): StoredResponse => {
    if (!isStoragePrevented(exchange.response) && hasRoom(exchange, reply)) return reply;
    const { status, headers, body } = reply;
    const { location } = headers;
    const isEmpty = body !== undefined && "text" in body && body.text === "";
    return { status, headers: location === undefined ? {} : { location }, ...(isEmpty ? { body } : {}) };
  };
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const serves = ({ config, origin, method }: DeclaredRoute): boolean =>
    config.idempotency ?? (origin.model !== undefined && method !== "GET");

  const finish = async (exchange: Exchange, given: StoredResponse, isGenerated: boolean): Promise<void> => {
    const { claim, stored } = exchange;
    if (isStored(given.status, !isGenerated)) {
      const reply = storedPart(exchange, given);
      // It is stored already, unless an after hook has changed the response.
      if (stored === undefined || !isSame(stored, reply)) await keys.complete(claim, reply);
      return;
    }
    // A claim whose response was stored with the write remains. After a time limit, a handler may still be running,
    // whose write is rolled back only if its response is stored inside it.
    if (given.status !== 504 || (isGenerated && "completeInside" in keys)) await keys.release(claim);
  };

  const respondOnce =
    (isGenerated: boolean): RequestHandler =>
    (request, response, next) => {
      if (request.headers["idempotency-key"] === undefined) return next();
      return begin();
      async function begin(): Promise<void> {
        const keyed = readKeyedRequest(request, permissionsOf?.(request));
        if (keyed === undefined) return next();
        const found = await keys.claim(keyed);
        if (found.state !== "claimed") {
          if (found.fingerprint !== keyed.fingerprint) throw idempotencyErrors.IdempotencyKeyReused();
          if (found.state === "running") throw inProgress();
          const { status, headers, body } = found.response;
          if (body !== undefined) return replay(response, { status, headers, body });
          const { location } = headers;
          throw idempotencyErrors.ResponseNotStored(
            undefined,
            typeof location === "string" ? { headers: { Location: location } } : {},
          );
        }
        const exchange: Exchange = { claim: found.claim, response, owner: keyed.owner };
        exchanges.set(request, exchange);
        exchange.watched = watchResponse(response, maxBytes, async (reply) => {
          try {
            await finish(exchange, reply, isGenerated);
          } catch (error) {
            log?.(error, request);
          }
        });
        next();
      }
    };

  return {
    serves,
    responseStoreOf(request) {
      const exchange = exchanges.get(request);
      if (exchange === undefined) return undefined;
      const { claim } = exchange;
      const isInside = "completeInside" in keys;
      return {
        isInside,
        async store(transaction, { status, headers, text }) {
          const isLong = Buffer.byteLength(text) > maxBytes;
          const stored = storedPart(exchange, {
            status,
            headers: { ...exchange.watched?.headers(), ...headers },
            ...(isLong ? {} : { body: { text } }),
          });
          if (!isInside) {
            // The write is committed; storing is retried when the response is sent.
            exchange.stored = await keys.complete(claim, stored).then(
              (isStored) => (isStored ? stored : undefined),
              () => undefined,
            );
            return;
          }
          if (!(await keys.completeInside(transaction, claim, stored))) throw inProgress();
          exchange.stored = stored;
        },
      };
    },
    step: {
      key: "idempotency",
      handlers: (_value, route) =>
        route !== undefined && serves(route) ? [respondOnce(route.origin.model !== undefined)] : [],
      check: (value, route) =>
        value === true && route.method === "GET"
          ? [{ where: routeName(route), message: "idempotency: GET requests are repeatable without it." }]
          : [],
      errors: (_value, route) => (serves(route) ? documentedErrors : []),
      parameters: (_value, route) => (serves(route) ? [documentedKey] : []),
    },
  };
}

/** For declared routes, errors that a handler decided on. A generated route that rejects has written nothing. */
function isStored(status: number, storesRejections: boolean): boolean {
  if (status >= 200 && status < 300) return true;
  return storesRejections && status >= 300 && status < 500 && !passing.has(status);
}

/** Whether two responses are equal, regardless of the order of their headers. */
function isSame(one: StoredResponse, other: StoredResponse): boolean {
  const text = ({ status, headers, body }: StoredResponse): string =>
    JSON.stringify([status, Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)), body]);
  return text(one) === text(other);
}

/** Headers that may change between two identical responses. */
const passing = new Set([401, 403, 408, 425, 429]);

const documentedKey: DocumentObject = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A unique name for this request, such as a UUID. A request repeated with it within 24 hours is not executed again: the stored response is returned with `Idempotency-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const error = (status: number, code: string, description: string): DocumentedError => ({ status, code, description });

const documentedErrors: readonly DocumentedError[] = [
  error(400, "InvalidIdempotencyKey", "The Idempotency-Key is empty, too long, or contains blanks."),
  error(400, "IdempotencyKeyOfForm", "A form with files cannot have an Idempotency-Key."),
  error(409, "RequestInProgress", "The first request with this Idempotency-Key is still running."),
  error(
    409,
    "ResponseNotStored",
    "The request was executed before; its response was not stored: it was too long, or it contained a secret.",
  ),
  error(422, "IdempotencyKeyReused", "The Idempotency-Key was used for a different request."),
];
