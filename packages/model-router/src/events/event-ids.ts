import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import type { FeedPosition } from "./change-feed.js";

/** What an id of an event contains. */
export interface IssuedPosition {
  readonly position: FeedPosition;
  /** The digest of the stream: its model, filter, fields and caller. An id of another stream is no position. */
  readonly stream: Buffer;
  /** The digest of the row rules with the times in them. */
  readonly rules: Buffer;
}

/** Creates and reads the ids of events: encrypted and authenticated texts, which disclose nothing of the log. */
export interface EventIds {
  /** Creates an id; that of the same position differs each time. */
  issue(issued: IssuedPosition): string;
  /** Returns the content of an id; `undefined` if it is none of this service, or older than ten minutes. */
  read(text: string): IssuedPosition | undefined;
  /** Whether a text is an id of this service, of any age. */
  isIssued(text: string): boolean;
}

/** How long a client can continue after an id, in milliseconds. */
const validMs = 600_000;

const context = "servicekit event ids 1";
const algorithm = "aes-256-gcm";
/** The bytes of the parts of an id. */
const sizes = { nonce: 12, number: 8, numbers: 4 * 8, digest: 16, tag: 16 } as const;
const contentSize = sizes.numbers + 2 * sizes.digest;
const idSize = sizes.nonce + contentSize + sizes.tag;

/** A digest for {@link IssuedPosition}. */
export const digest = (...texts: readonly string[]): Buffer =>
  createHash("sha256").update(JSON.stringify(texts)).digest().subarray(0, sizes.digest);

/**
 * Creates {@link EventIds}.
 *
 * @param secrets the first encrypts, and each decrypts
 */
export function makeEventIds(secrets: readonly string[]): EventIds {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync("sha256", secret, "", context, 32)));
  const [current] = keys;
  if (current === undefined) throw new TypeError("The ids of events require a secret.");
  const decrypt = (text: string): Buffer | undefined => {
    const bytes = Buffer.from(text, "base64url");
    if (bytes.length !== idSize) return undefined;
    for (const key of keys) {
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, sizes.nonce));
      decipher.setAuthTag(bytes.subarray(-sizes.tag));
      try {
        const content = bytes.subarray(sizes.nonce, -sizes.tag);
        return Buffer.concat([decipher.update(content), decipher.final()]);
      } catch {
        // Encrypted with another key, or changed.
      }
    }
    return undefined;
  };
  return {
    issue({ position, stream, rules }) {
      const numbers = Buffer.alloc(sizes.numbers);
      const { id, transaction, time } = position;
      const values = [id, transaction, BigInt(time.getTime()), BigInt(Date.now())];
      for (const [index, value] of values.entries()) numbers.writeBigInt64BE(value, index * sizes.number);
      const nonce = randomBytes(sizes.nonce);
      const cipher = createCipheriv(algorithm, current, nonce);
      const content = [cipher.update(numbers), cipher.update(stream), cipher.update(rules), cipher.final()];
      return Buffer.concat([nonce, ...content, cipher.getAuthTag()]).toString("base64url");
    },
    read(text) {
      const content = decrypt(text);
      if (content === undefined) return undefined;
      const [id = 0n, transaction = 0n, time = 0n, issued = 0n] = [0, 1, 2, 3].map((index) =>
        content.readBigInt64BE(index * sizes.number),
      );
      if (Math.abs(Date.now() - Number(issued)) > validMs) return undefined;
      return {
        position: { id, transaction, time: new Date(Number(time)) },
        stream: content.subarray(sizes.numbers, sizes.numbers + sizes.digest),
        rules: content.subarray(sizes.numbers + sizes.digest),
      };
    },
    isIssued: (text) => decrypt(text) !== undefined,
  };
}
