import express, { type RequestHandler } from "express";

/** How the bytes of a body are read. */
export interface ByteReading {
  readonly limit?: number | string | undefined;
  readonly inflate?: boolean | undefined;
  readonly verify?: unknown;
}

/** The largest body where none is configured (contract C43). */
export const defaultLimit = "1mb";

/** A handler that reads the whole body, inflated, into `request.body` as a Buffer; Express's own `raw` does the work. */
export function readBytes({ limit = defaultLimit, inflate = true, verify }: ByteReading): RequestHandler {
  return express.raw({
    type: () => true,
    limit,
    inflate,
    ...(verify === undefined ? {} : { verify: verify as never }),
  });
}
