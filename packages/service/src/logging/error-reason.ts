import { redactText } from "./redact-text.js";

const maxCauses = 5;

/** The message of the first cause of an error as one short line for the log: those of libraries end with the reason. */
export function errorReason(error: unknown): string {
  let first = error;
  for (let depth = 0; depth < maxCauses && first instanceof Error && first.cause instanceof Error; depth++)
    first = first.cause;
  // Node reports a name with several addresses as one error without a message.
  const message = first instanceof AggregateError ? first.errors.map(messageOf).join(", ") : messageOf(first);
  return redactText(message.trim().split("\n").at(-1) ?? "", 1_000);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
