import { httpErrors } from "@servicekit/core";
import type { RateLimitStore } from "@servicekit/router";
import type { Request } from "express";
import { apiKeyPrefix } from "../credentials/api-key.js";
import { type ApiKeys } from "../credentials/api-keys.js";
import { type StoredKey } from "../credentials/key-rows.js";
import { invalidApiKey } from "../errors.js";
import { clientOf } from "../limits/client-of.js";
import type { Permission, UserRecord } from "../users/user-store.js";
import { type CredentialKind, type SignedIn, signedInAs } from "./read-credential.js";
import { isRenewal } from "./renewal.js";

/** The dependencies of the API key check. */
export interface ApiKeyParts {
  readonly keys: ApiKeys<UserRecord>;
  /** Counts the requests of each key. */
  readonly counts: RateLimitStore;
  /** Maximum number of requests per key and window. */
  readonly limit: number;
  readonly message: string;
}

/** API keys, in `X-API-Key` or as a bearer token; never in a URL or a cookie. */
export function makeApiKeyKind({ keys, counts, limit, message }: ApiKeyParts): CredentialKind {
  return (request) => {
    const text = keyIn(request);
    if (text === undefined) return undefined;
    return {
      through: "header",
      async verify() {
        const stored = await keys.find(text, clientOf(request).address);
        if (stored === undefined) throw invalidApiKey();
        if (isRenewal(request)) return restrict(stored);
        // Only requests with the key count.
        const { totalHits, resetTime } = await counts.increment(stored.id);
        if (totalHits > limit) {
          const seconds = Math.ceil(((resetTime?.getTime() ?? 0) - Date.now()) / 1000);
          throw httpErrors.TooManyRequests(message, { headers: { "Retry-After": String(Math.max(1, seconds)) } });
        }
        return restrict(stored);
      },
    };
  };
}

function keyIn({ headers }: Request): string | undefined {
  const own = headers["x-api-key"];
  if (typeof own === "string" && own.startsWith(apiKeyPrefix)) return own;
  const [, token] = /^Bearer +(svk_\S*) *$/i.exec(headers.authorization ?? "") ?? [];
  return token;
}

/** Never more than the owner may at this moment: roles and permissions that the owner no longer has are ignored. */
function restrict({ id, record, roles, permissions }: StoredKey<UserRecord>): SignedIn {
  const owner = signedInAs(record);
  const full = { ...owner, caller: Object.freeze({ ...owner.caller, keyId: id }) };
  if (roles.length === 0 && permissions.length === 0) return full;
  const may = record.isSuperUser ? permissions.map(readPermission) : record.permissions;
  const caller = Object.freeze({
    ...full.caller,
    // The key of a superuser is not a superuser.
    isSuperUser: false,
    roles: rolesOf(record, roles),
  });
  return {
    caller,
    permissions: may.filter((one) => permissions.length === 0 || permissions.includes(writePermission(one))),
  };
}

function rolesOf(record: UserRecord, roles: readonly string[]): readonly string[] {
  if (roles.length === 0) return record.roles;
  return record.isSuperUser ? roles : record.roles.filter((role) => roles.includes(role));
}

/** A stored permission as one string. */
export const writePermission = ({ resource, action }: Permission): string => `${resource}:${action}`;

/** Parses a string of {@link writePermission}; actions are words. */
export function readPermission(text: string): Permission {
  const at = text.lastIndexOf(":");
  return { resource: text.slice(0, at), action: text.slice(at + 1) };
}
