/** One fault found at start: where, what was found there, what was expected, how to mend it. */
export interface StartFault {
  /** A place a person can go to: a configuration key, a file, a route, a model. */
  readonly where: string;
  /** A whole sentence that says what is wrong and what was expected. */
  readonly message: string;
}

/** Stops a start: all faults that were found, told at once. */
export class StartError extends Error {
  override readonly name = "StartError";
  readonly faults: readonly StartFault[];

  constructor(faults: readonly StartFault[]) {
    const lines = faults.map(({ where, message }) => `  - ${where}: ${message.replaceAll("\n", "\n    ")}`);
    super(
      `The service cannot start (${faults.length} ${faults.length === 1 ? "fault" : "faults"}):\n${lines.join("\n")}`,
    );
    this.faults = faults;
  }
}
