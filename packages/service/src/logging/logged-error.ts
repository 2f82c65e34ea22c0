import { stdSerializers } from "pino";
import { redact } from "./redact.js";

/** The message of a library and a stack are longer than other texts. */
const mostText = 10_000;

/**
 * What was thrown, for the log: type, message, stack and what else stands on it, without secrets (contract C42). Errors of
 * libraries quote what they were given, and carry whole requests with their headers.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return redact(error, { text: mostText });
  const {
    type: _,
    message,
    stack,
    ...more
  } = redact(stdSerializers.err(error), { text: mostText }) as Error & {
    type: string;
  };
  // Loggers know an error when they see one, and name it by its class.
  const shown = Object.assign(new Error(message), more);
  Object.defineProperty(shown, "stack", { value: stack });
  Object.defineProperty(shown, "constructor", { value: error.constructor });
  return shown;
}
