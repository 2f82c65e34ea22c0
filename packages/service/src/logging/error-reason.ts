import { loggedError } from "./logged-error.js";
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

/** The fields of a log line about an error that is retried: the stack is the same each time, so only the first one has it. */
export const retriedError = (
  error: unknown,
  isFirst: boolean,
): { readonly err: unknown } | { readonly reason: string } =>
  isFirst ? { err: loggedError(error) } : { reason: errorReason(error) };

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
