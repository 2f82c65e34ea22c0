import { randomUUID } from "node:crypto";
import { type KeyStore, type KeyTimes, readKeyTimes, type StoredResponse } from "./key-store.js";

interface Entry {
  readonly fingerprint: string;
  readonly holder: string;
  readonly response?: StoredResponse;
  readonly until: number;
}

/** Stores keys in the memory of this process: for tests, and for single-process programs that may lose them. */
export function makeMemoryKeys(times: KeyTimes = {}): KeyStore {
  const { leaseMs, retentionMs } = readKeyTimes(times);
  const entries = new Map<string, Entry>();
  return {
    claim: async ({ id, fingerprint }) => {
      const known = entries.get(id);
      const now = Date.now();
      if (known !== undefined && known.until > now) {
        const { response } = known;
        if (response === undefined) return { state: "running", fingerprint: known.fingerprint };
        return { state: "completed", fingerprint: known.fingerprint, response };
      }
      for (const [old, { until }] of entries) if (until <= now) entries.delete(old);
      const holder = randomUUID();
      entries.set(id, { fingerprint, holder, until: now + leaseMs });
      return { state: "claimed", claim: { id, fingerprint, holder } };
    },
    complete: async ({ id, fingerprint, holder }, response) => {
      if (entries.get(id)?.holder !== holder) return false;
      entries.set(id, { fingerprint, holder, response, until: Date.now() + retentionMs });
      return true;
    },
    release: async ({ id, holder }) => {
      const known = entries.get(id);
      if (known?.holder === holder && known.response === undefined) entries.delete(id);
    },
  };
}
