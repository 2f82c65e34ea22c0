import type { SharedCall, SharedResult } from "./shared-state.js";

/** The variable with the number of a worker, from 1. */
export const slotVariable = "SERVICEKIT_WORKER";

/** A message from a worker to the primary. */
export type WorkerMessage =
  | { readonly servicekit: "ready" }
  | { readonly servicekit: "call"; readonly id: number; readonly calls: readonly SharedCall[] }
  /** Requests the texts of all workers. */
  | { readonly servicekit: "gather"; readonly id: number }
  | { readonly servicekit: "text"; readonly id: number; readonly text: string };

/** A message from the primary to a worker. */
export type PrimaryMessage =
  | { readonly servicekit: "results"; readonly id: number; readonly results: readonly SharedResult[] }
  /** Requests its text. */
  | { readonly servicekit: "report"; readonly id: number }
  | { readonly servicekit: "texts"; readonly id: number; readonly texts: readonly WorkerText[] };

/** The text of one worker. */
export type WorkerText = readonly [worker: number, text: string];

/** Whether a message is one of these; a program may send its own messages. */
export function isOwnMessage<Message extends WorkerMessage | PrimaryMessage>(message: unknown): message is Message {
  return typeof message === "object" && message !== null && "servicekit" in message;
}
