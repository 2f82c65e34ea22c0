import type { SharedAnswer, SharedAsk } from "./shared-state.js";

/** The variable that tells a process which of the workers it is, from 1. */
export const slotVariable = "SERVICEKIT_WORKER";

/** What a worker says to the primary. */
export type WorkerMessage =
  | { readonly servicekit: "ready" }
  | { readonly servicekit: "ask"; readonly id: number; readonly asks: readonly SharedAsk[] }
  /** Wants the texts of all. */
  | { readonly servicekit: "gather"; readonly id: number }
  | { readonly servicekit: "text"; readonly id: number; readonly text: string };

/** What the primary says to a worker. */
export type PrimaryMessage =
  | { readonly servicekit: "answers"; readonly id: number; readonly answers: readonly SharedAnswer[] }
  /** Wants its text. */
  | { readonly servicekit: "tell"; readonly id: number }
  | { readonly servicekit: "texts"; readonly id: number; readonly texts: readonly WorkerText[] };

/** What one worker tells of itself. */
export type WorkerText = readonly [worker: number, text: string];

/** Whether a message is one of ours: a program may send its own. */
export function isOurs<Message extends WorkerMessage | PrimaryMessage>(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "servicekit" in message;
}
