import {
  type DeletedRight,
  deletedRights,
  isDeletedRight,
  type Operation,
  operationNames,
  operations,
  type Right,
} from "./operation.js";

/**
 * The names of operations in a configuration: single ones, or groups. `read` is `findMany` and `findOne`, `write` the
 * others, `all` every one. `findDeleted` and `deletePermanently` are rights to deleted rows.
 */
export type OperationName = Operation | DeletedRight | "read" | "write" | "all";

export const operationKeys: readonly OperationName[] = [
  ...operationNames,
  ...(Object.keys(deletedRights) as DeletedRight[]),
  ...(["read", "write", "all"] as const),
];

/** Values by operations and their groups. */
type OfOperations<Value> = Partial<Readonly<Record<OperationName, Value>>>;

/** The value for one operation: under its own name, otherwise under `read` or `write`, otherwise under `all`. */
export function ofOperation<Value>(values: OfOperations<Value> | undefined, right: Right): Value | undefined {
  const isRead = isDeletedRight(right) ? right === "findDeleted" : operations[right].method === "get";
  return values?.[right] ?? values?.[isRead ? "read" : "write"] ?? values?.all;
}

/**
 * The access to one operation. Rights to deleted rows have no group: a configuration that opens reads or writes does not
 * open them (contract C101).
 */
export const accessOfOperation = <Value>(auth: OfOperations<Value> | undefined, right: Right): Value | undefined =>
  right === "restoreOne" || isDeletedRight(right) ? auth?.[right] : ofOperation(auth, right);
