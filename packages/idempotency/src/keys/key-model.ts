import { StartError, type StartFault } from "@servicekit/core";
import { nearestWord } from "@servicekit/core/internal";
import type { Field, Model, Models } from "@servicekit/prisma";
import { keyModelName } from "../settings.js";

interface Expectation {
  readonly expected: string;
  test(field: Field): boolean;
}

const isScalar = (field: Field, type: string): boolean =>
  field.kind === "scalar" && field.type === type && !field.isList;
const fits = (field: Field, least: number): boolean =>
  field.kind === "scalar" && (field.nativeType === undefined || Number(field.nativeType.args[0] ?? least) >= least);

const text = (least: number): Expectation => ({
  expected: `a String of at least ${least} characters`,
  test: (field) => isScalar(field, "String") && field.isRequired && fits(field, least),
});

/** What stands in the model, each with what it must be. */
const expected: Readonly<Record<string, Expectation>> = {
  id: {
    expected: "a String of at least 43 characters with @id",
    test: (field) => text(43).test(field) && field.kind === "scalar" && field.isId,
  },
  fingerprint: text(43),
  holder: text(36),
  answer: {
    expected: "a String? without a length",
    test: (field) => isScalar(field, "String") && !field.isRequired && fits(field, Number.POSITIVE_INFINITY),
  },
  expiresAt: { expected: "a DateTime", test: (field) => isScalar(field, "DateTime") && field.isRequired },
};

/**
 * Finds the model that keeps keys, and holds it against what is expected of it.
 *
 * @returns `undefined` where the schema has none
 * @throws {StartError} that names each field that is missing, of the wrong type, or that nobody would fill
 */
export function readKeyModel(models: Models): Model | undefined {
  const model = models.get(keyModelName);
  if (model === undefined) return undefined;
  const faults: StartFault[] = [];
  for (const [name, { expected: wanted, test }] of Object.entries(expected)) {
    const field = model.fieldsByName.get(name);
    if (field === undefined) {
      const near = nearestWord(
        name,
        [...model.fieldsByName.keys()].filter((other) => !Object.hasOwn(expected, other)),
      );
      const hint = near === undefined ? "." : `; did you mean it by ${near}?`;
      faults.push({ where: `model ${keyModelName}`, message: `needs a field ${name}, ${wanted}${hint}` });
    } else if (!test(field)) {
      faults.push({ where: `field ${keyModelName}.${name}`, message: `must be ${wanted}; Idempotency-Key keeps it.` });
    }
  }
  for (const field of model.fields) {
    if (Object.hasOwn(expected, field.name) || !field.isRequired || field.kind === "relation" || field.isList) continue;
    if (field.kind !== "unsupported" && (field.hasDefault || field.isUpdatedAt)) continue;
    faults.push({
      where: `field ${keyModelName}.${field.name}`,
      message: "is required and has no default; nobody would fill it.",
    });
  }
  if (faults.length > 0) throw new StartError(faults);
  return model;
}
