import cluster from "node:cluster";
import { startTimeLimit } from "@servicekit/core/internal";
import { isOwnMessage, type PrimaryMessage, slotVariable, type WorkerMessage, type WorkerText } from "./messages.js";
import { type SharedFace, shareOver } from "./share-over.js";
import type { SharedResult } from "./shared-state.js";

/** The worker's connection to the primary. */
export interface WorkerLink extends SharedFace {
  /** The number of this worker, from 1; a replacement has the number of its predecessor. */
  readonly worker: number;
  /** Reports to the primary that this worker is listening. */
  ready(): void;
  /** Sets the text that {@link WorkerLink.gather} of any worker collects from this one. */
  report(text: () => Promise<string>): void;
  /** The text of each worker, in the order of their numbers; without those that do not respond within a second. */
  gather(): Promise<readonly WorkerText[]>;
}

/** How long a response of the primary may take, in milliseconds in which this process runs: a request waits for it. */
const responseMs = 500;
const gatherMs = 3_000;

interface Waiting {
  readonly resolve: (response: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The link of this process to its primary, if `runWorkers` has started it; `undefined` in any other process. When the
 * primary exits, the worker gets a SIGTERM of its own: it completes running requests and exits.
 */
export function joinWorkers(): WorkerLink | undefined {
  const { worker } = cluster;
  const slot = Number(process.env[slotVariable]);
  if (worker === undefined || !Number.isInteger(slot) || slot < 1) return undefined;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let text: (() => Promise<string>) | undefined;

  const send = (message: WorkerMessage): void => void process.send?.(message, undefined, undefined, () => undefined);
  const call = <Result>(messageOf: (id: number) => WorkerMessage, milliseconds: number): Promise<Result> => {
    if (!worker.isConnected()) return Promise.reject(gone());
    const id = ++lastId;
    return new Promise<Result>((resolve, reject) => {
      const end = (): void => {
        stop();
        waiting.delete(id);
      };
      const stop = startTimeLimit(milliseconds, () => {
        end();
        reject(new Error(`The primary did not respond within ${milliseconds} ms.`));
      });
      waiting.set(id, {
        resolve: (response) => {
          end();
          resolve(response);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      send(messageOf(id));
    });
  };
  const shared = shareOver((calls) =>
    call<readonly SharedResult[]>((id) => ({ servicekit: "call", id, calls }), responseMs),
  );
  process.on("message", (message) => {
    if (!isOwnMessage<PrimaryMessage>(message)) return;
    if (message.servicekit === "results") waiting.get(message.id)?.resolve(message.results as never);
    else if (message.servicekit === "texts") waiting.get(message.id)?.resolve(message.texts as never);
    else if (message.servicekit === "report") {
      const { id } = message;
      text?.().then(
        (own) => send({ servicekit: "text", id, text: own }),
        () => undefined,
      );
    }
  });
  worker.on("disconnect", () => {
    for (const { reject } of [...waiting.values()]) reject(gone());
    if (worker.exitedAfterDisconnect) return;
    // Otherwise Node would exit here during running requests.
    worker.exitedAfterDisconnect = true;
    process.kill(process.pid, "SIGTERM");
  });
  return {
    ...shared,
    worker: slot,
    ready: () => send({ servicekit: "ready" }),
    report(given) {
      text = given;
    },
    gather: () => call<readonly WorkerText[]>((id) => ({ servicekit: "gather", id }), gatherMs),
  };
}

const gone = (): Error => new Error("The primary has exited.");
