import { stdSerializers } from "pino";
import { redact } from "./redact.js";

/** The message of a library and a stack are longer than other texts. */
const maxText = 10_000;

/**
 * An error for the log: type, message, stack and its other properties, without secrets (contract C42). Errors of
 * libraries quote their input, and may contain complete requests with their headers.
 */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return redact(error, { text: maxText });
  const {
    type: _,
    message,
    stack,
    ...more
  } = redact(stdSerializers.err(error), { text: maxText }) as Error & {
    type: string;
  };
  // Loggers serialize errors, and use the name of their class.
  const shown = Object.assign(new Error(message), more);
  Object.defineProperty(shown, "stack", { value: stack });
  Object.defineProperty(shown, "constructor", { value: error.constructor });
  return shown;
}
