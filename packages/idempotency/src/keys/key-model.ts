import { StartupError, type StartupIssue } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import type { Field, Model, Models } from "@servicekit/prisma";
import { keyModelName } from "../settings.js";

interface Expectation {
  readonly expected: string;
  test(field: Field): boolean;
}

const isScalar = (field: Field, type: string): boolean =>
  field.kind === "scalar" && field.type === type && !field.isList;
const fits = (field: Field, min: number): boolean =>
  field.kind === "scalar" && (field.nativeType === undefined || Number(field.nativeType.args[0] ?? min) >= min);

const text = (min: number): Expectation => ({
  expected: `a String of at least ${min} characters`,
  test: (field) => isScalar(field, "String") && field.isRequired && fits(field, min),
});

/** The required fields of the model, each with its requirements. */
const expected: Readonly<Record<string, Expectation>> = {
  id: {
    expected: "a String of at least 43 characters with @id",
    test: (field) => text(43).test(field) && field.kind === "scalar" && field.isId,
  },
  fingerprint: text(43),
  holder: text(36),
  response: {
    expected: "a String? without a length",
    test: (field) => isScalar(field, "String") && !field.isRequired && fits(field, Number.POSITIVE_INFINITY),
  },
  expiresAt: { expected: "a DateTime", test: (field) => isScalar(field, "DateTime") && field.isRequired },
};

/**
 * Finds the model that stores keys and validates it.
 *
 * @returns `undefined` if the schema has none
 * @throws {StartupError} that names each field that is missing, of the wrong type, or required without a default
 */
export function readKeyModel(models: Models): Model | undefined {
  const model = models.get(keyModelName);
  if (model === undefined) return undefined;
  const issues: StartupIssue[] = [];
  for (const [name, { expected: wanted, test }] of Object.entries(expected)) {
    const field = model.fieldsByName.get(name);
    if (field === undefined) {
      const near = nearestWord(
        name,
        [...model.fieldsByName.keys()].filter((other) => !Object.hasOwn(expected, other)),
      );
      const hint = near === undefined ? "." : `. Did you mean ${near}?`;
      issues.push({ where: `model ${keyModelName}`, message: `requires a field ${name}, ${wanted}${hint}` });
    } else if (!test(field)) {
      issues.push({ where: `field ${keyModelName}.${name}`, message: `must be ${wanted}; Idempotency-Key uses it.` });
    }
  }
  for (const field of model.fields) {
    if (Object.hasOwn(expected, field.name) || !field.isRequired || field.kind === "relation" || field.isList) continue;
    if (field.kind !== "unsupported" && (field.hasDefault || field.isUpdatedAt)) continue;
    issues.push({
      where: `field ${keyModelName}.${field.name}`,
      message: "is required and has no default, so rows cannot be created.",
    });
  }
  if (issues.length > 0) throw new StartupError(issues);
  return model;
}
