import { ofOperation } from "../resource/config/of-operation.js";
import { hasOperation, type Operation, operations } from "../resource/config/operation.js";
import { isSoftDeleted } from "../resource/config/soft-delete.js";
import { type Resource } from "../resource/resource.js";
import type { ModelRouterSettings } from "../settings.js";

/** Whether a model has this operation: by its kind, by `strict`, and by its own configuration (contract C7, C15). */
export function isOpen(operation: Operation, { model }: Resource, { strict, models }: ModelRouterSettings): boolean {
  if (strict === true || (operation === "restoreOne" && !isSoftDeleted(models[model.name]))) return false;
  // If a column prevents every create, the route is removed later, with a warning.
  const isPrevented = operations[operation].method === "post" && model.unsettable.length > 0;
  if (!hasOperation(model, isPrevented ? "updateMany" : operation)) return false;
  return (
    ofOperation(models[model.name]?.operations, operation) ?? !(strict === "no-bulk" && operations[operation].bulk)
  );
}
