import { StartupError } from "@servicekit/core";
import type { Model, Models } from "@servicekit/prisma";
import {
  type ExpectedField,
  expectedFieldIssues,
  isScalarOf,
  optionalTextOf,
  textOf,
} from "@servicekit/prisma/internal";
import { keyModelName } from "../settings.js";

/** The required fields of the model. */
const expected: Readonly<Record<string, ExpectedField>> = {
  id: {
    expected: "a String of at least 43 characters with @id",
    test: (field) => textOf(43).test(field) && field.kind === "scalar" && field.isId,
  },
  fingerprint: textOf(43),
  holder: textOf(36),
  response: optionalTextOf(Number.POSITIVE_INFINITY),
  expiresAt: { expected: "a DateTime", test: (field) => isScalarOf(field, "DateTime") && field.isRequired },
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
  const issues = expectedFieldIssues(model, expected, "Idempotency-Key");
  if (issues.length > 0) throw new StartupError(issues);
  return model;
}
