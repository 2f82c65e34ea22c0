import type { Worker } from "node:cluster";
import type { Borrower } from "./hit-windows.js";
import type { PrimaryMessage } from "./messages.js";

/** A worker that borrows hits. */
export interface WorkerBorrower extends Borrower {
  /** Is told what it has answered. */
  given(id: number, hits: number): void;
}

/** Makes a worker one that can be asked for what it has borrowed; what it has left when it ends is lost. */
export function makeBorrower(child: Worker, send: (child: Worker, message: PrimaryMessage) => void): WorkerBorrower {
  const waiting = new Map<number, (hits: number) => void>();
  let lastId = 0;
  const given = (id: number, hits: number): void => {
    waiting.get(id)?.(hits);
    waiting.delete(id);
  };
  child.once("disconnect", () => {
    for (const id of [...waiting.keys()]) given(id, 0);
  });
  return {
    giveBack: (loan) => {
      if (!child.isConnected()) return Promise.resolve(0);
      const id = ++lastId;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        send(child, { servicekit: "give back", id, loan });
      });
    },
    given,
  };
}
