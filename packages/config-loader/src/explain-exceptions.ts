import { fixFor } from "./show-failure.js";

const explains = Symbol.for("servicekit.explainExceptions");

/**
 * Prints the fix of a common exception that nothing catches, before Node prints the exception: a decorator that needs
 * reflect-metadata fails where its class is defined, before the service starts. Further calls have no effect.
 */
export function explainExceptions(): void {
  const event = "uncaughtExceptionMonitor";
  if (process.listeners(event).some((listener) => explains in listener)) return;
  const explain = (error: unknown): void => {
    const fix = error instanceof Error ? fixFor(error) : "";
    if (fix !== "") console.error(`${(error as Error).message}${fix}\n`);
  };
  process.on(event, Object.assign(explain, { [explains]: true }));
}
