import cluster from "node:cluster";
import { startTimeLimit } from "@servicekit/core/internal";
import { isOurs, type PrimaryMessage, slotVariable, type WorkerMessage, type WorkerText } from "./messages.js";
import { type SharedFace, shareOver } from "./share-over.js";
import type { SharedAnswer } from "./shared-state.js";

/** What a worker has of the primary. */
export interface WorkerLink extends SharedFace {
  /** Which of the workers this is, from 1; one that takes the place of another has its number. */
  readonly worker: number;
  /** Tells the primary that this worker serves. */
  ready(): void;
  /** What {@link WorkerLink.gather} of any worker gets of this one. */
  tell(text: () => Promise<string>): void;
  /** What each worker tells, in the order of their numbers; of one that does not answer in a second, nothing. */
  gather(): Promise<readonly WorkerText[]>;
}

/** How long an answer of the primary may take, in milliseconds in which this process runs: a request waits for it. */
const answerMs = 500;
const gatherMs = 3_000;

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: Error) => void;
}

/**
 * The link of this process to its primary, where `runWorkers` has started it; `undefined` in any other process. When the
 * primary is gone, the worker gets a SIGTERM of its own: it lets running requests end, and ends.
 */
export function joinWorkers(): WorkerLink | undefined {
  const { worker } = cluster;
  const slot = Number(process.env[slotVariable]);
  if (worker === undefined || !Number.isInteger(slot) || slot < 1) return undefined;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let text: (() => Promise<string>) | undefined;

  const send = (message: WorkerMessage): void => void process.send?.(message, undefined, undefined, () => undefined);
  const ask = <Answer>(messageOf: (id: number) => WorkerMessage, milliseconds: number): Promise<Answer> => {
    if (!worker.isConnected()) return Promise.reject(gone());
    const id = ++lastId;
    return new Promise<Answer>((resolve, reject) => {
      const end = (): void => {
        stop();
        waiting.delete(id);
      };
      const stop = startTimeLimit(milliseconds, () => {
        end();
        reject(new Error(`The primary did not answer within ${milliseconds} ms.`));
      });
      waiting.set(id, {
        resolve: (answer) => {
          end();
          resolve(answer);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      });
      send(messageOf(id));
    });
  };
  const shared = shareOver((asks) => ask<readonly SharedAnswer[]>((id) => ({ servicekit: "ask", id, asks }), answerMs));
  process.on("message", (message) => {
    if (!isOurs<PrimaryMessage>(message)) return;
    if (message.servicekit === "answers") waiting.get(message.id)?.resolve(message.answers as never);
    else if (message.servicekit === "texts") waiting.get(message.id)?.resolve(message.texts as never);
    else if (message.servicekit === "tell") {
      const { id } = message;
      text?.().then(
        (told) => send({ servicekit: "text", id, text: told }),
        () => undefined,
      );
    }
  });
  worker.on("disconnect", () => {
    for (const { reject } of [...waiting.values()]) reject(gone());
    if (worker.exitedAfterDisconnect) return;
    // Else Node would end it here, in the middle of its answers.
    worker.exitedAfterDisconnect = true;
    process.kill(process.pid, "SIGTERM");
  });
  return {
    ...shared,
    worker: slot,
    ready: () => send({ servicekit: "ready" }),
    tell(given) {
      text = given;
    },
    gather: () => ask<readonly WorkerText[]>((id) => ({ servicekit: "gather", id }), gatherMs),
  };
}

const gone = (): Error => new Error("The primary is gone.");
