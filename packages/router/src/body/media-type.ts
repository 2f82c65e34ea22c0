import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { TextDecoder } from "node:util";
import { httpErrors } from "@servicekit/core";

/** The charset of a content type, in lower case. */
export function charsetOf(request: IncomingMessage): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)"?/i.exec(request.headers["content-type"] ?? "")?.[1]?.toLowerCase();
}

/** Whether a request has a body to read (RFC 9112, section 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

const isUtf8Name = (charset: string): boolean => charset === "utf-8" || charset === "utf8";

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw httpErrors.UnsupportedMediaType(`The charset ${charset.slice(0, 40)} is unknown.`);
  }
}

/**
 * The charset of a body.
 *
 * @param fallback the charset of a body that names none
 * @throws {HttpError} 415 for another charset than UTF-8 or `fallback`
 */
export function readCharset(request: IncomingMessage, fallback = "utf-8"): string {
  const charset = charsetOf(request) ?? fallback.toLowerCase();
  if (isUtf8Name(charset)) return "utf-8";
  if (charset === fallback.toLowerCase()) return charset;
  throw httpErrors.UnsupportedMediaType(`The charset ${charset.slice(0, 40)} is not supported. Use UTF-8.`);
}

/**
 * Checks that all bytes are in the charset: Express's parsers replace the others.
 *
 * @throws {HttpError} 400
 */
export function checkEncoded(bytes: Buffer, charset = "utf-8"): void {
  if (charset === "utf-8") {
    if (!isUtf8(bytes)) throw invalidText(charset);
    return;
  }
  const decoder = decoderOf(charset);
  try {
    decoder.decode(bytes);
  } catch {
    throw invalidText(charset);
  }
}

const invalidText = (charset: string) => httpErrors.BadRequest(`The body is not valid ${charset.toUpperCase()}.`);
