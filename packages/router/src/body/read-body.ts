import type { IncomingMessage, ServerResponse } from "node:http";
import { type HttpError, httpErrors } from "@servicekit/core";
import type { Request, RequestHandler } from "express";
import { encodingError } from "./encoding-error.js";
import { toHttpError } from "./foreign-errors.js";
import { toBytes } from "./to-bytes.js";

type Verify = (request: IncomingMessage, response: ServerResponse, body: Buffer, encoding: string) => void;

/** How the bytes of a body are read. */
export interface BodyReading {
  readonly limit?: number | string | undefined;
  readonly inflate?: boolean | undefined;
  readonly verify?: Verify | undefined;
}

/** The options that each of Express's body parsers receives from here. */
export interface ParserOptions {
  readonly limit: number;
  readonly inflate: boolean;
  readonly type: () => boolean;
  readonly verify: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;
}

/** Makes one of Express's body parsers. */
export type MakeParser = (
  options: ParserOptions,
) => (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;

/** The checks around Express's parser. An empty body is checked by none of them. */
export interface BodyChecks<Seen> {
  /** Checks the bytes before the parser parses them; its result is given to `finish`. */
  readonly check?: (bytes: Buffer, request: Request) => Seen;
  /** Checks or replaces the value that the parser made. */
  readonly finish?: (value: unknown, bytes: Buffer, seen: Seen, request: Request) => unknown;
  /** Translates errors of the parser that are not known in general. */
  readonly translate?: (error: unknown) => HttpError | undefined;
}

/** The default maximum size of a body (contract C43). */
const defaultLimit = "1mb";

/** How many times its size a compressed body may inflate to (contract C59). */
const maxInflation = 100;

/** Express's parsers also accept zstd where Node does, which may take 128 MB of memory for one body. */
const encodings: ReadonlySet<string> = new Set(["gzip", "deflate", "br"]);

/**
 * Carries what a callback threw through Express's parser unchanged: the parser writes to the errors that it passes on, and
 * deletes their own properties.
 */
export class Thrown extends Error {
  readonly #reason: unknown;

  constructor(reason: unknown) {
    super("A callback of the body parser has thrown.");
    this.#reason = reason;
  }

  get reason(): unknown {
    return this.#reason;
  }
}

interface CheckedBody<Seen> {
  readonly bytes: Buffer;
  readonly seen: Seen;
}

/**
 * A handler that reads the body with a parser of Express, and checks the bytes in its `verify`. An empty body is `undefined`.
 *
 * @throws {HttpError} 413 for a body over the limit or one that inflates to more than 100 times its size, 415 for another
 *   content encoding, 400 for a body that cannot be inflated, 403 for what `verify` throws, and what the checks throw
 */
export function readBody<Seen>(
  makeParser: MakeParser,
  { limit = defaultLimit, inflate = true, verify }: BodyReading,
  { check, finish, translate }: BodyChecks<Seen>,
): RequestHandler {
  const maxBytes = toBytes(limit);
  const bodies = new WeakMap<IncomingMessage, CheckedBody<Seen | undefined>>();
  const received = new WeakMap<IncomingMessage, number>();

  const checkBytes = (request: IncomingMessage, response: ServerResponse, bytes: Buffer): Seen | undefined => {
    const size = received.get(request) ?? Number(request.headers["content-length"]);
    if (isEncoded(request) && bytes.length > size * maxInflation) {
      throw httpErrors.PayloadTooLarge(`The compressed body expands to more than ${maxInflation} times its size.`);
    }
    try {
      verify?.(request, response, bytes, "utf-8");
    } catch (cause) {
      throw httpErrors.Forbidden("The body was rejected.", { cause });
    }
    return bytes.length === 0 ? undefined : check?.(bytes, request as Request);
  };

  const parse = makeParser({
    limit: maxBytes,
    inflate,
    type: () => true,
    verify(request, response, bytes) {
      try {
        bodies.set(request, { bytes, seen: checkBytes(request, response, bytes) });
      } catch (error) {
        throw new Thrown(error);
      }
    },
  });

  return (request, response, next) => {
    const rejection = rejectUnread(request, maxBytes, inflate);
    if (rejection !== undefined) {
      next(rejection);
      return;
    }
    let isDone = false;
    const done = (error?: unknown): void => {
      if (isDone) return;
      isDone = true;
      request.off("data", count);
      if (error === undefined) next();
      else next(error);
    };
    // The parser reads a body that is too large to its end before it reports it.
    const maxReceived = isEncoded(request) ? maxBytes * 2 : maxBytes;
    const count = (chunk: Buffer): void => {
      const size = (received.get(request) ?? 0) + chunk.length;
      received.set(request, size);
      if (size > maxReceived) done(tooLarge(maxBytes));
    };
    if (isEncoded(request) || request.headers["content-length"] === undefined) request.on("data", count);

    parse(request, response, (error) => {
      if (isDone) return;
      if (error !== undefined) {
        done(error instanceof Thrown ? error.reason : (translate?.(error) ?? toHttpError(error)));
        return;
      }
      const body = bodies.get(request);
      // The parser passes over a request whose connection has ended.
      if (body === undefined) {
        done(aborted());
        return;
      }
      const { bytes, seen } = body;
      try {
        const value: unknown = request.body;
        if (bytes.length === 0) request.body = undefined;
        else if (finish !== undefined) request.body = finish(value, bytes, seen as Seen, request);
      } catch (thrown) {
        request.body = undefined;
        done(thrown);
        return;
      }
      done();
    });
  };
}

/** The error of a body that need not be read. */
function rejectUnread(request: IncomingMessage, maxBytes: number, inflate: boolean): HttpError | undefined {
  if (request.destroyed) return aborted();
  if (!isEncoded(request)) return Number(request.headers["content-length"]) > maxBytes ? tooLarge(maxBytes) : undefined;
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "";
  if (inflate && encodings.has(encoding)) return undefined;
  return httpErrors.UnsupportedMediaType(encodingError.message, { errors: [encodingError] });
}

function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers["content-encoding"];
  return encoding !== undefined && encoding.toLowerCase() !== "identity";
}

const tooLarge = (maxBytes: number) => httpErrors.PayloadTooLarge(`The body is larger than ${maxBytes} bytes.`);
const aborted = () => httpErrors.BadRequest("The request was aborted.");
