import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

/** A key as its owner has it; only {@link ApiKey.hash} is stored. */
export interface ApiKey {
  readonly id: string;
  /** `svk_<environment>_<id>_<secret>`; the last eight digits of the secret are a checksum of everything before. */
  readonly text: string;
  /** SHA-256. The secret has 256 random bits, so a slow hash would add no protection. */
  readonly hash: string;
}

/** The prefix of every key, so that secret scanners recognize one. */
export const apiKeyPrefix = "svk_";

/** The length of the id of a key. */
export const apiKeyIdLength = 24;

/**
 * Creates a key.
 *
 * @param environment where it is valid: lower-case letters, such as `live`
 * @param id the id of a key to rotate; a new one without it
 */
export function makeApiKey(environment: string, id = randomBytes(apiKeyIdLength / 2).toString("hex")): ApiKey {
  const body = `${apiKeyPrefix}${environment}_${id}_${randomBytes(32).toString("hex")}`;
  const text = body + checksum(body);
  return { id, text, hash: hashOf(text) };
}

/** Whether a string can be the id of a key. */
export const isApiKeyId = (text: string): boolean => /^[\da-f]{24}$/.test(text);

/** Parses a key; `undefined` for what cannot be a key of this environment, so that nothing is read for it. */
export function readApiKey(text: string, environment: string): ApiKey | undefined {
  const [, body = "", place, id = "", sum] =
    /^(svk_([a-z]{1,20})_([\da-f]{24})_[\da-f]{64})([\da-f]{8})$/.exec(text) ?? [];
  if (place !== environment || sum !== checksum(body)) return undefined;
  return { id, text, hash: hashOf(text) };
}

/** Whether a key matches a hash, in constant time. */
export function isOfHash({ hash }: ApiKey, stored: string): boolean {
  const [one, other] = [Buffer.from(hash), Buffer.from(stored)];
  return one.length === other.length && timingSafeEqual(one, other);
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, "0");

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");
