import { StartupError } from "@servicekit/core";
import type { Model, Models } from "@servicekit/prisma";
import {
  type ExpectedField,
  expectedFieldIssues,
  isScalarOf,
  optionalTextOf,
  textOf,
} from "@servicekit/prisma/internal";
import { changeModelName } from "./settings.js";

const optionalJson: ExpectedField = {
  expected: "a Json?",
  test: (field) => isScalarOf(field, "Json") && !field.isRequired,
};

/** The required fields of the model. */
const expected: Readonly<Record<string, ExpectedField>> = {
  id: {
    expected: "a BigInt with @id @default(autoincrement())",
    test: (field) =>
      field.kind === "scalar" &&
      field.type === "BigInt" &&
      field.isId &&
      field.default !== undefined &&
      "function" in field.default &&
      field.default.function === "autoincrement",
  },
  time: { expected: "a DateTime", test: (field) => isScalarOf(field, "DateTime") && field.isRequired },
  model: textOf(1),
  key: textOf(1),
  operation: textOf(6),
  actor: textOf(1),
  requestId: optionalTextOf(1),
  traceId: optionalTextOf(32),
  before: optionalJson,
  after: optionalJson,
  transaction: {
    expected: `a BigInt with @default(dbgenerated("((pg_current_xact_id())::text)::bigint"))`,
    test: (field) => isScalarOf(field, "BigInt") && field.isRequired && field.kind === "scalar" && field.hasDefault,
  },
};

/**
 * Finds the model that stores changes and validates it.
 *
 * @returns `undefined` if the schema has none
 * @throws {StartupError} that names each field that is missing, of the wrong type, or required without a default
 */
export function readChangeModel(models: Models): Model | undefined {
  const model = models.get(changeModelName);
  if (model === undefined) return undefined;
  const issues = expectedFieldIssues(model, expected, "the change log");
  if (issues.length > 0) throw new StartupError(issues);
  return model;
}
