import path from "node:path";
import { Worker } from "node:worker_threads";
import { packageFolder } from "../../package-folder.js";
import type { Bcrypt } from "./bcrypt.js";

type Task = { readonly password: string } & ({ readonly cost: number } | { readonly hash: string });

/** A thread, and the handlers of its next message. */
interface Thread {
  readonly worker: Worker;
  settle: ((outcome: { readonly result?: unknown; readonly error?: unknown }) => void) | undefined;
}

/**
 * bcryptjs in worker threads, started on demand and reused; idle ones do not keep the process alive. The caller ensures
 * that no more tasks run than there are threads.
 */
export function makeWorkerBcrypt(): Bcrypt {
  const idle: Thread[] = [];
  const all = new Set<Thread>();

  const start = (): Thread => {
    const worker = new Worker(path.join(packageFolder, "workers", "bcrypt.mjs"));
    worker.unref();
    const thread: Thread = { worker, settle: undefined };
    const settle = (outcome: { readonly result?: unknown; readonly error?: unknown }): void => {
      const { settle: waiting } = thread;
      thread.settle = undefined;
      waiting?.(outcome);
    };
    worker.on("message", (outcome: { readonly result?: unknown; readonly error?: unknown }) => {
      idle.push(thread);
      settle(outcome);
    });
    worker.on("error", (error) => settle({ error }));
    worker.on("exit", () => {
      all.delete(thread);
      const at = idle.indexOf(thread);
      if (at >= 0) idle.splice(at, 1);
      settle({ error: "The thread has exited." });
    });
    all.add(thread);
    return thread;
  };

  const run = (task: Task): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const thread = idle.pop() ?? start();
      thread.worker.ref();
      thread.settle = ({ result, error }) => {
        thread.worker.unref();
        if (error === undefined) resolve(result);
        else reject(new Error("A password could not be hashed.", { cause: error }));
      };
      thread.worker.postMessage(task);
    });

  return {
    hash: (password, cost) => run({ password, cost }) as Promise<string>,
    verify: (password, hash) => run({ password, hash }) as Promise<boolean>,
    close: async () => {
      await Promise.all([...all].map(({ worker }) => worker.terminate()));
    },
  };
}
