/** One issue found at startup: where, what was found, what was expected, and how to fix it. */
export interface StartupIssue {
  /**
   * The place of the issue: a configuration key (`limits.page.max`), an environment variable, a file, a route or a
   * model.
   */
  readonly where: string;
  /** A full sentence that states the issue and what was expected. */
  readonly message: string;
  /** The source of the value: a file, the environment, the arguments or the init object. */
  readonly source?: string;
  /** What was found, in words; the values of secrets are `***`. */
  readonly found?: string;
  /** What was expected, in words. */
  readonly expected?: string;
  /** The known word or allowed value that was most likely meant. */
  readonly nearest?: string;
}

/** The parts from which a sentence is composed if an issue needs no sentence of its own. */
export type StartupIssueParts = Omit<StartupIssue, "message"> & { readonly message?: string };

/** Adds the sentence to an issue: what was found, what was expected, and the nearest known word. */
export function makeStartupIssue(parts: StartupIssueParts): StartupIssue {
  const { found, expected, nearest, message } = parts;
  const stated =
    message ??
    [found === undefined ? undefined : `found ${found}`, expected === undefined ? undefined : `expected ${expected}`]
      .filter((part) => part !== undefined)
      .join(", ");
  const sentence = stated.includes("\n") || /[.?!]$/.test(stated) ? stated : `${stated}.`;
  return { ...parts, message: nearest === undefined ? sentence : `${sentence} Did you mean ${nearest}?` };
}

/**
 * Aborts a startup with all issues that were found (contract C38). It has no stack, so that Node prints only the issues
 * if the error is not caught.
 */
export class StartupError extends Error {
  declare readonly issues: readonly StartupIssue[];

  /** @param given equal issues, such as one of several routes of a model, are listed once */
  constructor(given: readonly StartupIssue[], options?: { readonly cause?: unknown }) {
    const issues = [...new Map(given.map((issue) => [textOf(issue), issue])).values()];
    const lines = issues.map((issue) => `  - ${textOf(issue).replaceAll("\n", "\n    ")}`);
    const count = `${issues.length} ${issues.length === 1 ? "error" : "errors"}`;
    const { stackTraceLimit } = Error;
    // Node also prints the source line to which a stack leads.
    Error.stackTraceLimit = 0;
    super(`The service cannot start (${count}):\n${lines.join("\n")}`, options);
    Error.stackTraceLimit = stackTraceLimit;
    const unseen = { name: "StartupError", issues, stack: this.message };
    for (const [name, value] of Object.entries(unseen)) Object.defineProperty(this, name, { value });
  }
}

const textOf = ({ where, source, message }: StartupIssue): string =>
  `${source === undefined ? where : `${where} (${source})`}: ${message}`;
