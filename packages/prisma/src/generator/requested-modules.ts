/** What a generator block may ask for besides the models. */
export interface RequestedModules {
  readonly schemas: boolean;
  readonly dtos: boolean;
  readonly api: boolean;
}

/** Of a library both spellings, as in the service's own configuration. */
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
      throw new Error(`servicekit-prisma knows no option ${key}; it knows ${Object.keys(words).join(", ")}.`);
    }
    const known: readonly string[] = words[key as keyof typeof words];
    if (typeof value !== "string" || !known.includes(value)) {
      throw new Error(`The option ${key} of servicekit-prisma takes ${known.map((word) => `"${word}"`).join(" or ")}.`);
    }
  }
  return { schemas: config.schemas !== undefined, dtos: config.dtos !== undefined, api: config.api !== undefined };
}
