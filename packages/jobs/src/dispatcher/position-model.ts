import { StartupError } from "@servicekit/core";
import type { Model, Models } from "@servicekit/prisma";
import { type ExpectedField, expectedFieldIssues, isScalarOf } from "@servicekit/prisma/internal";
import { positionModelName } from "../position-name.js";

const expected: Readonly<Record<string, ExpectedField>> = {
  name: {
    expected: "a String with @id",
    test: (field) => isScalarOf(field, "String") && "isId" in field && field.isId,
  },
  lastId: { expected: "a BigInt", test: (field) => isScalarOf(field, "BigInt") && field.isRequired },
};

/**
 * Finds the model that stores how far consumers have read the change log, and validates it.
 *
 * @param where the configuration that needs it, for the error
 * @throws {StartupError} if the schema has none, or a field is missing or has the wrong type
 */
export function readPositionModel(models: Models, where: string): Model {
  const model = models.get(positionModelName);
  if (model === undefined) {
    const message = `requires a model ${positionModelName} in the schema. Run npx service generate change-position.`;
    throw new StartupError([{ where, message }]);
  }
  const issues = expectedFieldIssues(model, expected, "the hand-over of changes");
  if (issues.length > 0) throw new StartupError(issues);
  return model;
}
