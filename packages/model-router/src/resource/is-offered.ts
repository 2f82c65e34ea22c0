import type { Model } from "@servicekit/prisma";
import { ofOperation } from "./of-operation.js";
import { hasOperation, type Operation } from "./operation.js";
import type { ResourceConfig } from "./resource-config.js";

/**
 * Whether anybody may do this with rows of a model, by a route of its own or through a relation: it is not closed, or the
 * model is reachable without a route (contract C57, C64).
 */
export function isOffered(model: Model, operation: Operation, config: ResourceConfig | undefined): boolean {
  if (!hasOperation(model, operation)) return false;
  return config?.reachable === true || ofOperation(config?.operations, operation) !== false;
}

/** The operation by which rows of a model are read, and by whose rules relations lead to them; none for a closed model. */
export function readOperation(model: Model, config: ResourceConfig | undefined): "findMany" | "findOne" | undefined {
  return (["findMany", "findOne"] as const).find((operation) => isOffered(model, operation, config));
}
