/** One fault found at start: where, what was found there, what was expected, how to mend it. */
export interface StartFault {
  /**
   * A place a person can go to: a configuration key (`limits.page.max`), an environment variable, a file, a route, a
   * model.
   */
  readonly where: string;
  /** A whole sentence that says what is wrong and what was expected. */
  readonly message: string;
  /** Where the value was told: a file, the environment, the arguments, the init object. */
  readonly source?: string;
  /** What was found, in words; the values of secrets are `***`. */
  readonly found?: string;
  /** What was expected, in words. */
  readonly expected?: string;
  /** The known word, or the allowed value, that was most likely meant. */
  readonly nearest?: string;
}

/** What a sentence is made of when a fault needs no words of its own. */
export type StartFaultParts = Omit<StartFault, "message"> & { readonly message?: string };

/** Completes a fault with its sentence: what was found, what was expected, what may be meant. */
export function makeStartFault(parts: StartFaultParts): StartFault {
  const { found, expected, nearest, message } = parts;
  const told =
    message ??
    [found === undefined ? undefined : `found ${found}`, expected === undefined ? undefined : `expected ${expected}`]
      .filter((part) => part !== undefined)
      .join(", ");
  const sentence = told.includes("\n") || /[.?!]$/.test(told) ? told : `${told}.`;
  return { ...parts, message: nearest === undefined ? sentence : `${sentence} Did you mean ${nearest}?` };
}

/**
 * Stops a start: all faults that were found, told at once (contract C38). It has no stack: where nobody catches it, Node
 * prints the faults, once, and nothing of how they were found.
 */
export class StartError extends Error {
  declare readonly faults: readonly StartFault[];

  constructor(faults: readonly StartFault[], options?: { readonly cause?: unknown }) {
    const lines = faults.map(({ where, source, message }) => {
      const place = source === undefined ? where : `${where} (${source})`;
      return `  - ${place}: ${message.replaceAll("\n", "\n    ")}`;
    });
    const count = `${faults.length} ${faults.length === 1 ? "fault" : "faults"}`;
    const { stackTraceLimit } = Error;
    // Node prints the source line that a stack leads to, too.
    Error.stackTraceLimit = 0;
    super(`The service cannot start (${count}):\n${lines.join("\n")}`, options);
    Error.stackTraceLimit = stackTraceLimit;
    const unseen = { name: "StartError", faults, stack: this.message };
    for (const [name, value] of Object.entries(unseen)) Object.defineProperty(this, name, { value });
  }
}
