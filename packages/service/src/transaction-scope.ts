import { AsyncLocalStorage } from "node:async_hooks";
import type { Database, DatabaseSettings, PrismaHandle } from "@servicekit/prisma";

/** Provides the transaction in which the running code works. */
export interface TransactionScope {
  /** Runs the work of a transaction in its scope. */
  readonly around: NonNullable<DatabaseSettings["aroundTransaction"]>;
  /** The Prisma client of the open transaction; `undefined` outside of transactions. */
  client(): PrismaHandle | undefined;
  /** Calls a function after the commit of the open transaction, and not after a rollback. */
  afterCommit(listener: () => void): void;
  /** Called with each transaction that was committed. */
  readonly committed: NonNullable<DatabaseSettings["onCommit"]>;
}

/** Creates a scope. */
export function makeTransactionScope(): TransactionScope {
  const storage = new AsyncLocalStorage<Database>();
  const listeners = new WeakMap<Database, (() => void)[]>();
  return {
    around: (transaction, work) => storage.run(transaction, work),
    client: () => storage.getStore()?.client,
    afterCommit: (listener) => {
      const transaction = storage.getStore();
      if (transaction === undefined) return;
      const known = listeners.get(transaction);
      if (known === undefined) listeners.set(transaction, [listener]);
      else known.push(listener);
    },
    committed: (transaction) => {
      for (const listener of listeners.get(transaction) ?? []) listener();
    },
  };
}
