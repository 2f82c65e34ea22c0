import { randomUUID } from "node:crypto";
import { idempotencyErrors } from "../errors.js";
import { type Claim, type KeyStore, type KeyTimes, readKeyTimes, type StoredResponse } from "./key-store.js";

/** The entry of a key in Redis. */
interface Entry {
  readonly fingerprint: string;
  readonly holder: string;
  readonly response?: StoredResponse;
}

/** Updates the entry of this holder, or deletes it if it has no response. */
const completeScript = `local found = redis.call("GET", KEYS[1])
if not found or cjson.decode(found).holder ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`;
const releaseScript = `local found = redis.call("GET", KEYS[1])
if not found then return 0 end
local entry = cjson.decode(found)
if entry.holder ~= ARGV[1] or entry.response then return 0 end
return redis.call("DEL", KEYS[1])`;

/**
 * Stores keys in a Redis that all instances share. It guarantees less than the database: a process that ends between
 * the write and its record leaves a key that may be executed again, and keys that Redis loses are unknown.
 *
 * @param send sends one command
 */
export function makeRedisKeys(send: (...command: string[]) => Promise<unknown>, times: KeyTimes = {}): KeyStore {
  const { leaseMs, retentionMs } = readKeyTimes(times);
  const nameOf = (id: string): string => `servicekit:idempotency:${id}`;
  const run = async (...command: string[]): Promise<unknown> => {
    try {
      return await send(...command);
    } catch (cause) {
      throw idempotencyErrors.IdempotencyUnavailable(undefined, { cause, headers: { "Retry-After": "2" } });
    }
  };
  const toClaimed = ({ fingerprint, response }: Entry) =>
    response === undefined
      ? ({ state: "running", fingerprint } as const)
      : ({ state: "completed", fingerprint, response } as const);
  return {
    claim: async ({ id, fingerprint }) => {
      const claim: Claim = { id, fingerprint, holder: randomUUID() };
      const entry: Entry = { fingerprint, holder: claim.holder };
      for (;;) {
        const set = await run("SET", nameOf(id), JSON.stringify(entry), "NX", "PX", String(leaseMs));
        if (set === "OK") return { state: "claimed", claim };
        const found = await run("GET", nameOf(id));
        // It may have expired between the two commands.
        if (typeof found === "string") return toClaimed(JSON.parse(found) as Entry);
      }
    },
    complete: async ({ id, fingerprint, holder }, response) => {
      const entry: Entry = { fingerprint, holder, response };
      const done = await run(
        "EVAL",
        completeScript,
        "1",
        nameOf(id),
        holder,
        JSON.stringify(entry),
        String(retentionMs),
      );
      return Number(done) === 1;
    },
    release: async ({ id, holder }) => {
      await run("EVAL", releaseScript, "1", nameOf(id), holder);
    },
  };
}
