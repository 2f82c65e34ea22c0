import { randomUUID } from "node:crypto";
import { isHttpError } from "@servicekit/core";
import type { Database, Delegate, Model, Row } from "@servicekit/prisma";
import { type Claim, type KeptAnswer, type KeyStore, type KeyTimes, readKeyTimes } from "./key-store.js";

/** Keys in the database of the writes. */
export interface DatabaseKeys extends KeyStore {
  /**
   * Keeps the answer in a transaction of the write: both stand, or neither.
   *
   * @returns whether the claim still stood: where it did not, the transaction must be given up
   */
  completeInside(transaction: Database, claim: Claim, answer: KeptAnswer): Promise<boolean>;
  /** Deletes what is over. @returns how many keys there were */
  sweep(): Promise<number>;
}

const shown = { fingerprint: true, holder: true, answer: true, expiresAt: true };

/**
 * Keeps keys in the model `IdempotencyKey`. A claim is a row of its own, so that nobody waits for a lock while the write is
 * at work; it is over by itself after the lease, as when its process has ended.
 */
export function makeDatabaseKeys(database: Database, model: Model, times: KeyTimes = {}): DatabaseKeys {
  const { leaseMs, keptMs } = readKeyTimes(times);
  const rows = database.of(model);
  const after = (milliseconds: number): Date => new Date(Date.now() + milliseconds);

  const completeWith = async (delegate: Delegate, { id, holder }: Claim, answer: KeptAnswer): Promise<boolean> => {
    const data = { answer: JSON.stringify(answer), expiresAt: after(keptMs) };
    return orNone(async () => {
      await delegate.update({ where: { id, holder }, data, select: { id: true } });
    });
  };

  /** @returns whether nobody else was faster */
  const take = async (claim: Claim, known: Row | null): Promise<boolean> => {
    const { id, fingerprint, holder } = claim;
    const own = { fingerprint, holder, answer: null, expiresAt: after(leaseMs) };
    if (known !== null) {
      const where = { id, holder: known.holder, expiresAt: known.expiresAt };
      return orNone(async () => {
        await rows.update({ where, data: own, select: { id: true } });
      });
    }
    try {
      await rows.create({ data: { id, ...own }, select: { id: true } });
      return true;
    } catch (error) {
      if (isHttpError(error) && error.code === "UniqueConstraint") return false;
      throw error;
    }
  };

  return {
    claim: async ({ id, fingerprint }) => {
      const claim: Claim = { id, fingerprint, holder: randomUUID() };
      for (;;) {
        const known = await rows.findUnique({ where: { id }, select: shown });
        if (known === null || (known.expiresAt as Date).getTime() <= Date.now()) {
          if (await take(claim, known)) return { state: "claimed", claim };
          continue;
        }
        const { answer, fingerprint: of } = known as { answer: string | null; fingerprint: string };
        if (answer === null) return { state: "running", fingerprint: of };
        return { state: "answered", fingerprint: of, answer: JSON.parse(answer) as KeptAnswer };
      }
    },
    complete: (claim, answer) => completeWith(rows, claim, answer),
    completeInside: (transaction, claim, answer) => completeWith(transaction.of(model), claim, answer),
    release: async ({ id, holder }) => {
      await rows.deleteMany({ where: { id, holder, answer: null } });
    },
    sweep: () => rows.deleteMany({ where: { expiresAt: { lt: new Date() } } }),
  };
}

/** Whether the row was there still. */
async function orNone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isHttpError(error) && error.code === "NotFound") return false;
    throw error;
  }
}
