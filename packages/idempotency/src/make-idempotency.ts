import type { IncomingMessage } from "node:http";
import type { Database } from "@servicekit/prisma";
import type { DeclaredRoute, DocumentedError, DocumentObject, RouteStep } from "@servicekit/router";
import { routeName } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { replay, type WatchedAnswer, watchAnswer } from "./answers.js";
import { makeClientBudget } from "./client-budget.js";
import { idempotencyErrors, inProgress } from "./errors.js";
import { readKeyedRequest } from "./keyed-request.js";
import type { DatabaseKeys } from "./keys/database-keys.js";
import type { Claim, KeptAnswer, KeyStore } from "./keys/key-store.js";

/** What requests are answered once with. */
export interface IdempotencyOptions {
  readonly keys: KeyStore | DatabaseKeys;
  /** The longest body of an answer that is kept, in bytes. @default 1048576 */
  readonly mostBytes?: number;
  /** Bytes of answers that are kept for one client in a day. @default 16777216 */
  readonly maxBytesPerClient?: number;
  /** What the caller of a request may at this moment, besides the roles. @default nothing */
  readonly permissionsOf?: (request: Request) => readonly string[];
  /** Is told where an answer could not be kept: its key is free again when the lease is over. */
  readonly log?: (error: unknown, request: Request) => void;
}

/** What a write is answered with: besides the headers that stand already, those that are set when it is sent. */
export interface WrittenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty for an answer without a body. */
  readonly text: string;
}

/** What keeps the answer of a write. */
export interface KeepAnswer {
  /** Whether it is kept in the transaction of the write; otherwise it is kept as soon as that is committed. */
  readonly isInside: boolean;
  /**
   * @param transaction that of the write, for one that keeps it there
   * @throws {HttpError} 409 where somebody else has the key meanwhile, inside of a transaction only
   */
  keep(transaction: Database, answer: WrittenAnswer): Promise<void>;
}

/** Requests that are answered once, put together. */
export interface Idempotency {
  /** The step of the declaration key `idempotency`: behind the one that says who calls, before files and validation. */
  readonly step: RouteStep;
  /** Whether requests of a route are answered once. */
  serves(route: DeclaredRoute): boolean;
  /** What keeps the answer of a request with its write; `undefined` where nothing is to be kept. */
  keeperOf(request: IncomingMessage): KeepAnswer | undefined;
}

interface Exchange {
  readonly claim: Claim;
  /** Whose key it is. */
  readonly owner: string;
  /** Whether the body is within the budget of its client; found out once. */
  hasRoom?: boolean;
  watched?: WatchedAnswer;
  /** What stands in the record already. */
  kept?: KeptAnswer | undefined;
}

/**
 * Puts together what answers repeated requests once (contract C49): every write of generated routes, and declared routes that
 * say `idempotency: true`. Without the header a request passes at no cost.
 */
export function makeIdempotency(options: IdempotencyOptions): Idempotency {
  const { keys, mostBytes = 1024 * 1024, permissionsOf, log } = options;
  const budget = makeClientBudget(options.maxBytesPerClient);
  /** What is kept of an answer: without room for it, what says that it was carried out. */
  const withinBudget = (exchange: Exchange, answer: KeptAnswer): KeptAnswer => {
    exchange.hasRoom ??= budget.take(exchange.owner, JSON.stringify([answer.headers, answer.body]).length);
    if (exchange.hasRoom) return answer;
    const { status, headers, body } = answer;
    const { location } = headers;
    const isEmpty = body !== undefined && "text" in body && body.text === "";
    return { status, headers: location === undefined ? {} : { location }, ...(isEmpty ? { body } : {}) };
  };
  const exchanges = new WeakMap<IncomingMessage, Exchange>();
  const serves = ({ config, origin, method }: DeclaredRoute): boolean =>
    config.idempotency ?? (origin.model !== undefined && method !== "GET");

  const finish = async (exchange: Exchange, given: KeptAnswer, isGenerated: boolean): Promise<void> => {
    const { claim, kept } = exchange;
    if (isKept(given.status, !isGenerated)) {
      const answer = withinBudget(exchange, given);
      // It stands there already, unless an after hook has made another one of it.
      if (kept === undefined || !isSame(kept, answer)) await keys.complete(claim, answer);
      return;
    }
    // A claim that was answered with the write stays. Behind a time limit a handler may still be at work, whose write is
    // undone only where its answer is kept inside of it.
    if (given.status !== 504 || (isGenerated && "completeInside" in keys)) await keys.release(claim);
  };

  const answerOnce =
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
          const { status, headers, body } = found.answer;
          if (body !== undefined) return replay(response, { status, headers, body });
          const { location } = headers;
          throw idempotencyErrors.AnswerNotKept(
            undefined,
            typeof location === "string" ? { headers: { Location: location } } : {},
          );
        }
        const exchange: Exchange = { claim: found.claim, owner: keyed.owner };
        exchanges.set(request, exchange);
        exchange.watched = watchAnswer(response, mostBytes, async (answer) => {
          try {
            await finish(exchange, answer, isGenerated);
          } catch (error) {
            log?.(error, request);
          }
        });
        next();
      }
    };

  return {
    serves,
    keeperOf(request) {
      const exchange = exchanges.get(request);
      if (exchange === undefined) return undefined;
      const { claim } = exchange;
      const isInside = "completeInside" in keys;
      return {
        isInside,
        async keep(transaction, { status, headers, text }) {
          const isLong = Buffer.byteLength(text) > mostBytes;
          const kept = withinBudget(exchange, {
            status,
            headers: { ...exchange.watched?.headers(), ...headers },
            ...(isLong ? {} : { body: { text } }),
          });
          if (!isInside) {
            // What is written is written: it is tried once more when the answer is sent.
            exchange.kept = await keys.complete(claim, kept).then(
              (isKept) => (isKept ? kept : undefined),
              () => undefined,
            );
            return;
          }
          if (!(await keys.completeInside(transaction, claim, kept))) throw inProgress();
          exchange.kept = kept;
        },
      };
    },
    step: {
      key: "idempotency",
      handlers: (_value, route) =>
        route !== undefined && serves(route) ? [answerOnce(route.origin.model !== undefined)] : [],
      check: (value, route) =>
        value === true && route.method === "GET"
          ? [{ where: routeName(route), message: "idempotency: a GET can be repeated without it." }]
          : [],
      errors: (_value, route) => (serves(route) ? documentedErrors : []),
      parameters: (_value, route) => (serves(route) ? [documentedKey] : []),
    },
  };
}

/** Those of declared routes that a handler decided on: a generated route that refuses has written nothing. */
function isKept(status: number, keepsRefusals: boolean): boolean {
  if (status >= 200 && status < 300) return true;
  return keepsRefusals && status >= 300 && status < 500 && !passing.has(status);
}

/** Whether two answers are the same, in whichever order their headers stand. */
function isSame(one: KeptAnswer, other: KeptAnswer): boolean {
  const text = ({ status, headers, body }: KeptAnswer): string =>
    JSON.stringify([status, Object.entries(headers).sort(([a], [b]) => (a < b ? -1 : 1)), body]);
  return text(one) === text(other);
}

/** What may be otherwise a moment later. */
const passing = new Set([401, 403, 408, 425, 429]);

const documentedKey: DocumentObject = {
  name: "Idempotency-Key",
  in: "header",
  description:
    "A name of your own for this request, such as a UUID. Sent again with it within 24 hours, it is not carried out again: its answer comes back, with `Idempotency-Replayed: true`.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const error = (status: number, code: string, description: string): DocumentedError => ({ status, code, description });

const documentedErrors: readonly DocumentedError[] = [
  error(400, "InvalidIdempotencyKey", "The Idempotency-Key is empty, too long, or has blanks in it."),
  error(400, "IdempotencyKeyOfForm", "A form with files takes no Idempotency-Key."),
  error(409, "RequestInProgress", "The first request with this Idempotency-Key is still at work."),
  error(409, "AnswerNotKept", "The request was carried out before; its answer was too long to be kept."),
  error(422, "IdempotencyKeyReused", "The Idempotency-Key was used for another request."),
];
