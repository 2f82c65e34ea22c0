import { randomUUID } from "node:crypto";
import { type KeptAnswer, type KeyStore, type KeyTimes, readKeyTimes } from "./key-store.js";

interface Entry {
  readonly fingerprint: string;
  readonly holder: string;
  readonly answer?: KeptAnswer;
  readonly until: number;
}

/** Keeps keys in the memory of this process: for tests, and for programs that are one process and may forget. */
export function makeMemoryKeys(times: KeyTimes = {}): KeyStore {
  const { leaseMs, keptMs } = readKeyTimes(times);
  const entries = new Map<string, Entry>();
  return {
    claim: async ({ id, fingerprint }) => {
      const known = entries.get(id);
      const now = Date.now();
      if (known !== undefined && known.until > now) {
        const { answer } = known;
        if (answer === undefined) return { state: "running", fingerprint: known.fingerprint };
        return { state: "answered", fingerprint: known.fingerprint, answer };
      }
      for (const [old, { until }] of entries) if (until <= now) entries.delete(old);
      const holder = randomUUID();
      entries.set(id, { fingerprint, holder, until: now + leaseMs });
      return { state: "claimed", claim: { id, fingerprint, holder } };
    },
    complete: async ({ id, fingerprint, holder }, answer) => {
      if (entries.get(id)?.holder !== holder) return false;
      entries.set(id, { fingerprint, holder, answer, until: Date.now() + keptMs });
      return true;
    },
    release: async ({ id, holder }) => {
      const known = entries.get(id);
      if (known?.holder === holder && known.answer === undefined) entries.delete(id);
    },
  };
}
