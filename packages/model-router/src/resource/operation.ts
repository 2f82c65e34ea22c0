import type { Model } from "@servicekit/prisma";

/** The eight operations of a model, in the order in which their routes are registered (contract C2). */
export const operations = {
  findMany: { method: "get", suffix: "", action: "View", bulk: false },
  createOne: { method: "post", suffix: "", action: "Create", bulk: false },
  createMany: { method: "post", suffix: "/many", action: "Create", bulk: true },
  updateMany: { method: "patch", suffix: "/many", action: "Update", bulk: true },
  deleteMany: { method: "delete", suffix: "/many", action: "Delete", bulk: true },
  findOne: { method: "get", suffix: "/:id", action: "View", bulk: false },
  updateOne: { method: "patch", suffix: "/:id", action: "Update", bulk: false },
  deleteOne: { method: "delete", suffix: "/:id", action: "Delete", bulk: false },
} as const;

/** An operation of a model. */
export type Operation = keyof typeof operations;

export const operationNames = Object.keys(operations) as readonly Operation[];

/**
 * Whether a model has an operation by its kind: rows without a key are only listed, views are not written (contract
 * C7).
 */
export function hasOperation(model: Model, operation: Operation): boolean {
  const { method, suffix } = operations[operation];
  if (model.key === undefined && suffix === "/:id") return false;
  if (method !== "get" && (model.isView || model.key === undefined)) return false;
  return method !== "post" || model.isCreatable;
}
