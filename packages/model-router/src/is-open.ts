import { hasOperation, type Operation, ofOperation, operations, type Resource } from "@servicekit/resource";
import type { ModelRouterSettings } from "./settings.js";

/** Whether a model has this operation: by its kind, by `strict`, and by its own configuration (contract C7, C15). */
export function isOpen(operation: Operation, { model }: Resource, { strict, models }: ModelRouterSettings): boolean {
  if (strict === true) return false;
  if (!hasOperation(model, operation)) return false;
  return (
    ofOperation(models[model.name]?.operations, operation) ?? !(strict === "no-bulk" && operations[operation].bulk)
  );
}
