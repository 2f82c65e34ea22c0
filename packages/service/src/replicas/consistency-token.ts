import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { readConnectionString, type WalPosition } from "@servicekit/prisma/internal";

/** What the reads of a client must contain: everything before a position of the log, or everything. */
export type Needed = WalPosition | "latest";

/** Writes and reads consistency tokens. */
export interface ConsistencyTokens {
  /** How long a token is valid, in milliseconds. */
  readonly lifetimeMs: number;
  /** Creates the token of a client that has written. */
  write(needed: Needed): string;
  /** Reads a token; `undefined` if it is malformed, forged or expired. */
  read(token: string): Needed | undefined;
}

/** The seconds of the issue (4), the position (8), and the signature (12), as base64url. */
const format = /^[\w-]{32}$/;
const signedBytes = 12;
const maxPosition = 2n ** 64n - 1n;

/** After {@link ConsistencyTokens.lifetimeMs} every replica in the rotation has the write; for clocks that differ. */
const marginMs = 30_000;

/**
 * Creates the tokens of a service. Instances with the same credentials of the database accept each other's.
 *
 * @param databaseUrl the connection string of the primary; its hosts may differ between instances
 * @param maxLagMs the maximum lag of replicas that are read from, in milliseconds
 */
export function makeConsistencyTokens(databaseUrl: string, maxLagMs: number): ConsistencyTokens {
  const lifetimeMs = maxLagMs + marginMs;
  const { username, password, pathname } = new URL(readConnectionString(databaseUrl).url);
  const key = createHash("sha256").update(`consistency token ${username}:${password}@${pathname}`).digest();
  const sign = (signed: Buffer): Buffer => createHmac("sha256", key).update(signed).digest().subarray(0, signedBytes);
  return {
    lifetimeMs,
    write: (needed) => {
      const signed = Buffer.alloc(signedBytes);
      signed.writeUInt32BE(Math.floor(Date.now() / 1_000));
      signed.writeBigUInt64BE(needed === "latest" ? maxPosition : needed, 4);
      return Buffer.concat([signed, sign(signed)]).toString("base64url");
    },
    read: (token) => {
      if (!format.test(token)) return undefined;
      const bytes = Buffer.from(token, "base64url");
      const signed = bytes.subarray(0, signedBytes);
      if (!timingSafeEqual(sign(signed), bytes.subarray(signedBytes))) return undefined;
      const ageMs = Date.now() - signed.readUInt32BE() * 1_000;
      if (ageMs > lifetimeMs || ageMs < -marginMs) return undefined;
      const position = signed.readBigUInt64BE(4);
      return position === maxPosition ? "latest" : position;
    },
  };
}
