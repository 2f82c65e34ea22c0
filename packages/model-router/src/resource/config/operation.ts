import type { Model } from "@servicekit/prisma";

/**
 * The operations of a model, in the order in which their routes are registered (contract C2); `restoreOne` only with soft
 * delete (contract C101).
 */
export const operations = {
  findMany: { method: "get", suffix: "", action: "View", bulk: false },
  createOne: { method: "post", suffix: "", action: "Create", bulk: false },
  createMany: { method: "post", suffix: "/many", action: "Create", bulk: true },
  updateMany: { method: "patch", suffix: "/many", action: "Update", bulk: true },
  deleteMany: { method: "delete", suffix: "/many", action: "Delete", bulk: true },
  findOne: { method: "get", suffix: "/:id", action: "View", bulk: false },
  updateOne: { method: "patch", suffix: "/:id", action: "Update", bulk: false },
  deleteOne: { method: "delete", suffix: "/:id", action: "Delete", bulk: false },
  restoreOne: { method: "post", suffix: "/:id/restore", action: "Restore", bulk: false },
} as const;

/** An operation of a model. */
export type Operation = keyof typeof operations;

export const operationNames = Object.keys(operations) as readonly Operation[];

/**
 * Rights that a parameter of a route requires besides the right of the route (contract C101): `deleted` of reads, and
 * `permanent` of deletes. `by` are the operations with the parameter.
 */
export const deletedRights = {
  findDeleted: { action: "ViewDeleted", by: ["findMany", "findOne"] },
  deletePermanently: { action: "DeletePermanently", by: ["deleteOne", "deleteMany"] },
} as const satisfies Readonly<Record<string, { readonly action: string; readonly by: readonly Operation[] }>>;

/** A right to deleted rows. */
export type DeletedRight = keyof typeof deletedRights;

/** An operation, or a right that a parameter requires. */
export type Right = Operation | DeletedRight;

export const isDeletedRight = (right: Right): right is DeletedRight => Object.hasOwn(deletedRights, right);

/** The action of a right, which stored permissions name. */
export const actionOf = (right: Right): string =>
  isDeletedRight(right) ? deletedRights[right].action : operations[right].action;

/**
 * Whether a model has an operation by its kind: rows without a key are only listed, views are not written (contract
 * C7).
 */
export function hasOperation(model: Model, operation: Operation): boolean {
  const { method, suffix } = operations[operation];
  if (model.key === undefined && suffix === "/:id") return false;
  if (method !== "get" && (model.isView || model.key === undefined)) return false;
  if (operation === "restoreOne") return true;
  return method !== "post" || model.isCreatable;
}
