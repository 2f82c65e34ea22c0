import type { IncomingMessage, ServerResponse } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { httpErrors } from "@servicekit/core";
import type { RequestHandler } from "express";
import { encodingFault } from "./encoding-fault.js";
import { toBytes } from "./to-bytes.js";

/** How the bytes of a body are read. */
export interface ByteReading {
  readonly limit?: number | string | undefined;
  readonly inflate?: boolean | undefined;
  readonly verify?:
    | ((request: IncomingMessage, response: ServerResponse, body: Buffer, encoding: string) => void)
    | undefined;
}

/** The largest body where none is configured (contract C43). */
export const defaultLimit = "1mb";

/** How many times its size a compressed body may unfold to (contract C59). */
const mostUnfolded = 100;

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * A handler that reads the whole body, inflated, into `request.body` as a Buffer. A body over a limit is refused as soon
 * as that is known; what is left of it stays unread.
 *
 * @throws {HttpError} 413 for a body over the limit or unfolding to more than 100 times its size, 415 for a content
 *   encoding that is not taken, 400 for a body that cannot be inflated, 403 for what `verify` throws
 */
export function readBytes({ limit = defaultLimit, inflate = true, verify }: ByteReading): RequestHandler {
  const most = toBytes(limit);
  return (request, response, next) => {
    let decoder: Transform | undefined;
    try {
      decoder = makeDecoder(request, inflate);
    } catch (error) {
      next(error);
      return;
    }
    collect(request, decoder, most, (error, body) => {
      if (body === undefined) {
        next(error);
        return;
      }
      try {
        verify?.(request, response, body, "utf-8");
      } catch (cause) {
        next(httpErrors.Forbidden("The body was not accepted.", { cause }));
        return;
      }
      request.body = body;
      next();
    });
  };
}

function makeDecoder({ headers }: IncomingMessage, inflate: boolean): Transform | undefined {
  const coding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (coding === "identity") return undefined;
  const make = inflate && Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
  if (make === undefined) throw httpErrors.UnsupportedMediaType(encodingFault.message, { errors: [encodingFault] });
  return make();
}

function collect(
  request: IncomingMessage,
  decoder: Transform | undefined,
  most: number,
  done: (error: unknown, body?: Buffer) => void,
): void {
  const source = decoder ?? request;
  const declared = Number(request.headers["content-length"] ?? Number.NaN);
  const chunks: Buffer[] = [];
  let received = 0;
  let size = 0;
  /** Whoever waits has been told. */
  let isOver = false;
  const count = (chunk: Buffer): void => {
    received += chunk.length;
  };
  const stop = (): void => {
    isOver = true;
    // A body that has ended says no more: its listeners go with the request, for less than it costs to take them away.
    if (decoder === undefined && request.readableEnded) return;
    request.off("close", onClose).off("error", onError);
    source.off("data", onData).off("end", onEnd);
    if (decoder === undefined) return;
    request.off("data", count).unpipe(decoder);
    decoder
      .off("error", onError)
      .on("error", () => undefined)
      .destroy();
  };
  const refuse = (error: unknown): void => {
    stop();
    request.pause();
    done(error);
  };
  const unfoldsFrom = (compressed: number): boolean =>
    decoder !== undefined && size > compressed * mostUnfolded && compressed > 0;
  const onData = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > most) refuse(tooLarge(most));
    else if (unfoldsFrom(declared)) refuse(unfolded());
    else chunks.push(chunk);
  };
  const onEnd = (): void => {
    if (unfoldsFrom(received)) {
      refuse(unfolded());
      return;
    }
    stop();
    // Bytes after the end of the compressed ones are of no use, and must not hold the connection up.
    if (decoder !== undefined) request.resume();
    done(undefined, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size));
  };
  const onError = (cause: unknown): void => {
    if (isOver) return;
    refuse(
      decoder === undefined
        ? httpErrors.BadRequest("The body cannot be read.", { cause })
        : httpErrors.BadRequest("The compressed body cannot be read.", { cause }),
    );
  };
  const onClose = (): void => {
    if (!isOver && !request.complete) refuse(httpErrors.BadRequest("The request was aborted."));
  };

  if (decoder === undefined && declared > most) {
    done(tooLarge(most));
    return;
  }
  if (request.destroyed) {
    done(httpErrors.BadRequest("The request was aborted."));
    return;
  }
  request.on("close", onClose).on("error", onError);
  source.on("data", onData).on("end", onEnd);
  if (decoder === undefined) return;
  request.on("data", count);
  decoder.on("error", onError);
  request.pipe(decoder);
}

const tooLarge = (most: number) => httpErrors.PayloadTooLarge(`The body is larger than ${most} bytes.`);
const unfolded = () =>
  httpErrors.PayloadTooLarge(`The compressed body unfolds to more than ${mostUnfolded} times its size.`);
