import { randomUUID } from "node:crypto";
import { isHttpError } from "@servicekit/core";
import type { Database, Delegate, Model, Row } from "@servicekit/prisma";
import { deleteExpired } from "@servicekit/prisma/internal";
import { type Claim, type KeyStore, type KeyTimes, readKeyTimes, type StoredResponse } from "./key-store.js";

/** Stores keys in the database of the writes. */
export interface DatabaseKeys extends KeyStore {
  /**
   * Stores the response in a transaction of the write: both are committed, or neither.
   *
   * @returns whether the claim was still valid; if not, the transaction must be rolled back
   */
  completeInside(transaction: Database, claim: Claim, response: StoredResponse): Promise<boolean>;
  /** Deletes expired keys in batches. @returns their number; 0 if another process is deleting */
  deleteExpired(signal?: AbortSignal): Promise<number>;
}

const shown = { fingerprint: true, holder: true, response: true, expiresAt: true };

/**
 * Stores keys in the model `IdempotencyKey`. A claim is a row of its own, so that no request waits for a lock while the
 * write is running. It expires after the lease, for example when its process has ended.
 */
export function makeDatabaseKeys(database: Database, model: Model, times: KeyTimes = {}): DatabaseKeys {
  const { leaseMs, retentionMs } = readKeyTimes(times);
  const rows = database.of(model);
  const after = (milliseconds: number): Date => new Date(Date.now() + milliseconds);

  const completeWith = async (
    delegate: Delegate,
    { id, holder }: Claim,
    response: StoredResponse,
  ): Promise<boolean> => {
    const data = { response: JSON.stringify(response), expiresAt: after(retentionMs) };
    return orNone(async () => {
      await delegate.update({ where: { id, holder }, data, select: { id: true } });
    });
  };

  /** @returns whether no other request was faster */
  const take = async (claim: Claim, known: Row | null): Promise<boolean> => {
    const { id, fingerprint, holder } = claim;
    const own = { fingerprint, holder, response: null, expiresAt: after(leaseMs) };
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
        const { response, fingerprint: of } = known as { response: string | null; fingerprint: string };
        if (response === null) return { state: "running", fingerprint: of };
        return { state: "completed", fingerprint: of, response: JSON.parse(response) as StoredResponse };
      }
    },
    complete: (claim, response) => completeWith(rows, claim, response),
    completeInside: (transaction, claim, response) => completeWith(transaction.of(model), claim, response),
    release: async ({ id, holder }) => {
      await rows.deleteMany({ where: { id, holder, response: null } });
    },
    deleteExpired: (signal) => deleteExpired({ database, model, field: "expiresAt", before: new Date(), signal }),
  };
}

/** Whether the row still existed. */
async function orNone(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (isHttpError(error) && error.code === "NotFound") return false;
    throw error;
  }
}
