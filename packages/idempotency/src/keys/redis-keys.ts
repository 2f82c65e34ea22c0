import { randomUUID } from "node:crypto";
import { idempotencyErrors } from "../errors.js";
import { type Claim, type KeptAnswer, type KeyStore, type KeyTimes, readKeyTimes } from "./key-store.js";

/** What Redis has under a key. */
interface Entry {
  readonly fingerprint: string;
  readonly holder: string;
  readonly answer?: KeptAnswer;
}

/** Sets what belongs to this holder still, or takes it away where no answer stands in it. */
const completeScript = `local found = redis.call("GET", KEYS[1])
if not found or cjson.decode(found).holder ~= ARGV[1] then return 0 end
redis.call("SET", KEYS[1], ARGV[2], "PX", ARGV[3])
return 1`;
const releaseScript = `local found = redis.call("GET", KEYS[1])
if not found then return 0 end
local entry = cjson.decode(found)
if entry.holder ~= ARGV[1] or entry.answer then return 0 end
return redis.call("DEL", KEYS[1])`;

/**
 * Keeps keys in a Redis that all instances share. It is weaker than the database: a process that ends between the write and
 * its record leaves a key that may be carried out again, and what Redis forgets was never asked.
 *
 * @param send sends one command
 */
export function makeRedisKeys(send: (...command: string[]) => Promise<unknown>, times: KeyTimes = {}): KeyStore {
  const { leaseMs, keptMs } = readKeyTimes(times);
  const nameOf = (id: string): string => `servicekit:idempotency:${id}`;
  const asked = async (...command: string[]): Promise<unknown> => {
    try {
      return await send(...command);
    } catch (cause) {
      throw idempotencyErrors.IdempotencyUnavailable(undefined, { cause, headers: { "Retry-After": "2" } });
    }
  };
  const told = ({ fingerprint, answer }: Entry) =>
    answer === undefined
      ? ({ state: "running", fingerprint } as const)
      : ({ state: "answered", fingerprint, answer } as const);
  return {
    claim: async ({ id, fingerprint }) => {
      const claim: Claim = { id, fingerprint, holder: randomUUID() };
      const entry: Entry = { fingerprint, holder: claim.holder };
      for (;;) {
        const set = await asked("SET", nameOf(id), JSON.stringify(entry), "NX", "PX", String(leaseMs));
        if (set === "OK") return { state: "claimed", claim };
        const found = await asked("GET", nameOf(id));
        // It may have ended between the two.
        if (typeof found === "string") return told(JSON.parse(found) as Entry);
      }
    },
    complete: async ({ id, fingerprint, holder }, answer) => {
      const entry: Entry = { fingerprint, holder, answer };
      const done = await asked("EVAL", completeScript, "1", nameOf(id), holder, JSON.stringify(entry), String(keptMs));
      return Number(done) === 1;
    },
    release: async ({ id, holder }) => {
      await asked("EVAL", releaseScript, "1", nameOf(id), holder);
    },
  };
}
