import { createHash } from "node:crypto";
import { callerOf, identityOf } from "@servicekit/router";
import { clientAddress, toJsonText } from "@servicekit/router/internal";
import type { Request } from "express";
import { idempotencyErrors } from "./errors.js";
import type { KeyedRequest } from "./keys/key-store.js";

/** Visible characters, without blanks. */
const keyForm = /^[\x21-\x7e]{1,255}$/;

/** The form of a structured field (RFC 9651). */
const quoted = /^"([^"\\]*)"$/;

/**
 * Reads the idempotency key of a request (the IETF draft `Idempotency-Key`; its quotes are optional). The key belongs
 * to the caller, or to the client's address without a caller.
 *
 * @param permissions the permissions of the caller, besides the roles
 * @returns `undefined` without the header
 * @throws {HttpError} 400 for an invalid key, and for a form with files
 */
export function readKeyedRequest(
  request: Request,
  permissions: readonly string[] = [],
): (KeyedRequest & { readonly owner: string }) | undefined {
  const header = request.headers["idempotency-key"];
  if (header === undefined) return undefined;
  const key = quoted.exec(String(header))?.[1] ?? String(header);
  if (!keyForm.test(key)) throw idempotencyErrors.InvalidIdempotencyKey();
  if (/^\s*multipart\//i.test(request.headers["content-type"] ?? "")) throw idempotencyErrors.IdempotencyKeyOfForm();
  const caller = callerOf(request);
  const owner = caller === undefined ? ["client", clientAddress(request)] : ["caller", identityOf(caller)];
  const rights = caller === undefined ? [] : [[...caller.roles].sort(), caller.isSuperUser, [...permissions].sort()];
  return {
    owner: hashOf(owner),
    id: hashOf([...owner, key]),
    fingerprint: hashOf([rights, request.method, request.originalUrl, bodyText(request.body)]),
  };
}

/** The body as the parser of the route has read it. */
function bodyText(body: unknown): unknown {
  return body instanceof Uint8Array ? Buffer.from(body).toString("base64") : body;
}

const hashOf = (parts: readonly unknown[]): string =>
  createHash("sha256").update(toJsonText(parts)).digest("base64url");
