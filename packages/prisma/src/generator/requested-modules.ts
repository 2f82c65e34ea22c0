/** The optional modules of a generator block. */
export interface RequestedModules {
  readonly schemas: boolean;
  readonly dtos: boolean;
  readonly api: boolean;
}

/** Both spellings of a library, as in the service's own configuration. */
const words = {
  schemas: ["zod", "schema-lib"],
  dtos: ["class-validator", "class-lib"],
  api: ["types"],
} as const;

/**
 * Reads `schemas = "zod"`, `dtos = "class-validator"` and `api = "types"` of the generator block.
 *
 * @throws {Error} for another value or another key
 */
export function readRequestedModules(
  config: Readonly<Record<string, string | string[] | undefined>>,
): RequestedModules {
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(words, key)) {
      throw new Error(`servicekit-prisma has no option ${key}; expected one of ${Object.keys(words).join(", ")}.`);
    }
    const known: readonly string[] = words[key as keyof typeof words];
    if (typeof value !== "string" || !known.includes(value)) {
      throw new Error(
        `The option ${key} of servicekit-prisma must be ${known.map((word) => `"${word}"`).join(" or ")}.`,
      );
    }
  }
  return { schemas: config.schemas !== undefined, dtos: config.dtos !== undefined, api: config.api !== undefined };
}
