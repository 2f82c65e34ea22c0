import type { HttpError } from "@servicekit/core";
import { ormErrors } from "./orm-errors.js";

/**
 * The error of rows that do not fit into one response.
 *
 * @param maxBytes the limit
 * @param fitting how many rows of a list fit, if known
 */
export function responseTooLarge(maxBytes: number, fitting = 0): HttpError {
  const fewer = fitting > 0 ? `fewer rows (limit=${fitting} fits)` : "fewer rows";
  return tooLarge(
    "query",
    `The response exceeds ${maxBytes} bytes (limits.response). Request ${fewer}, or fewer fields with "fields".`,
  );
}

/** The error of a bulk write whose rows do not fit into one response; nothing is written. */
export const writtenTooLarge = (maxBytes: number): HttpError =>
  tooLarge(
    "body",
    `The written rows exceed the ${maxBytes} bytes of one response (limits.response). Send fewer items.`,
  );

const tooLarge = (place: "query" | "body", message: string): HttpError =>
  ormErrors.ResponseTooLarge(message, { errors: [{ in: place, path: "", code: "ResponseTooLarge", message }] });
