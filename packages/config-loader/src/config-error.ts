/** One fault of a configuration: where it is, what is there, what should be. */
export interface ConfigFault {
  /** The path of a key (`limits.page.maximum`), the name of an environment variable, an argument or a file. */
  readonly path: string;
  /** What was found, in words; the values of secrets are `***`. */
  readonly found?: string;
  /** What was expected, in words. */
  readonly expected?: string;
  /** The known key, or the allowed value, that was most likely meant. */
  readonly nearest?: string;
  /** Where the value was told: a file, the environment, the arguments, the init object. */
  readonly source?: string;
  /** The whole fault as one sentence, without the path. */
  readonly message: string;
}

/** What a sentence is made of when a fault needs no words of its own. */
type FaultParts = Omit<ConfigFault, "message"> & { readonly message?: string };

/** Stops the loading of a configuration: every fault that was found, told at once (contract C38). */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[], options?: { readonly cause?: unknown }) {
    const lines = faults.map(({ path, source, message }) => {
      const place = source === undefined ? path : `${path} (${source})`;
      return `  - ${place}: ${message.replaceAll("\n", "\n    ")}`;
    });
    const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
    super(`The configuration has ${count}:\n${lines.join("\n")}`, options);
    this.faults = faults;
  }
}

/** Completes a fault with its sentence: what was found, what was expected, what may be meant. */
export function makeFault(parts: FaultParts): ConfigFault {
  const { found, expected, nearest, message } = parts;
  const told =
    message ??
    [found === undefined ? undefined : `found ${found}`, expected === undefined ? undefined : `expected ${expected}`]
      .filter((part) => part !== undefined)
      .join(", ");
  const sentence = told.includes("\n") || /[.?!]$/.test(told) ? told : `${told}.`;
  return { ...parts, message: nearest === undefined ? sentence : `${sentence} Did you mean ${nearest}?` };
}
