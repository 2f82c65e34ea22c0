import type { Model } from "@servicekit/prisma";
import { ofOperation } from "./of-operation.js";
import { hasOperation, type Operation } from "./operation.js";
import type { ResourceConfig } from "./resource-config.js";

/**
 * Whether any caller may perform this operation on rows of a model, by its own route or through a relation: it is not
 * disabled, or the model is reachable without a route (contract C57, C64).
 */
export function isOffered(model: Model, operation: Operation, config: ResourceConfig | undefined): boolean {
  if (!hasOperation(model, operation)) return false;
  return config?.reachable === true || ofOperation(config?.operations, operation) !== false;
}

/** The operation that reads rows of a model, whose rules apply through relations; none for a disabled model. */
export function readOperation(model: Model, config: ResourceConfig | undefined): "findMany" | "findOne" | undefined {
  return (["findMany", "findOne"] as const).find((operation) => isOffered(model, operation, config));
}
