import type { Model } from "@servicekit/prisma";
import { ofOperation } from "./of-operation.js";
import { deletedRights, hasOperation, isDeletedRight, type Operation, type Right } from "./operation.js";
import type { ResourceConfig } from "./resource-config.js";
import { isSoftDeleted } from "./soft-delete.js";

/**
 * Whether any caller may perform this operation on rows of a model, by its own route or through a relation: it is not
 * disabled, or the model is reachable without a route (contract C57, C64).
 */
export function isOffered(model: Model, right: Right, config: ResourceConfig | undefined): boolean {
  if (isDeletedRight(right)) {
    const { by } = deletedRights[right];
    const isDisabled = config?.operations?.[right] === false;
    return isSoftDeleted(config) && !isDisabled && by.some((operation) => isOffered(model, operation, config));
  }
  if (!hasOperation(model, right) || (right === "restoreOne" && !isSoftDeleted(config))) return false;
  return config?.reachable === true || ofOperation(config?.operations, right) !== false;
}

/** The operation that reads rows of a model, whose rules apply through relations; none for a disabled model. */
export function readOperation(model: Model, config: ResourceConfig | undefined): "findMany" | "findOne" | undefined {
  return (["findMany", "findOne"] as const satisfies Operation[]).find((operation) =>
    isOffered(model, operation, config),
  );
}
