import { createHash } from "node:crypto";

/** Indexes of PostgreSQL contain at most 2.7 kB of a row, and a row of a queue has its name and its target too. */
const maxBytes = 1_000;

/** A key of a row, or its hash if the key is too long for the index of a queue. */
export const boundedKey = (key: string): string =>
  Buffer.byteLength(key) <= maxBytes ? key : createHash("sha256").update(key).digest("base64url");
