import type { IncomingMessage } from "node:http";
import { httpErrors } from "@servicekit/core";

/** The charset that a content type names, in lower case. */
export function charsetOf(request: IncomingMessage): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)"?/i.exec(request.headers["content-type"] ?? "")?.[1]?.toLowerCase();
}

/** Whether a request has a body to read (RFC 9112, section 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const { headers } = request;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

/** A decoder that is given the whole text at once remembers nothing of it. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

function decoderOf(charset: string): typeof utf8 {
  if (charset === "utf-8" || charset === "utf8") return utf8;
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch {
    throw httpErrors.UnsupportedMediaType(`The charset ${charset.slice(0, 40)} is not known.`);
  }
}

/**
 * Decodes bytes strictly: what is not in the charset is refused, never replaced.
 *
 * @throws {HttpError} 415 for another charset than UTF-8 or `fallback`, 400 for bytes that are not in it
 */
export function decodeText(request: IncomingMessage, body: Buffer, fallback = "utf-8"): string {
  const charset = charsetOf(request) ?? fallback.toLowerCase();
  if (charset !== "utf-8" && charset !== "utf8" && charset !== fallback.toLowerCase()) {
    throw httpErrors.UnsupportedMediaType(`The charset ${charset.slice(0, 40)} is not taken; send UTF-8.`);
  }
  const decoder = decoderOf(charset);
  try {
    return decoder.decode(body);
  } catch {
    throw httpErrors.BadRequest(`The body is not valid ${charset === "utf8" ? "UTF-8" : charset.toUpperCase()}.`);
  }
}
