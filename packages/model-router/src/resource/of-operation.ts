import { type Operation, operationNames, operations } from "./operation.js";

/**
 * The names of operations in a configuration: single ones, or groups. `read` is `findMany` and `findOne`, `write` the
 * six that create, update and delete, `all` the eight.
 */
export type OperationName = Operation | "read" | "write" | "all";

export const operationKeys: readonly OperationName[] = [...operationNames, "read", "write", "all"];

/** The value for one operation: under its own name, otherwise under `read` or `write`, otherwise under `all`. */
export function ofOperation<Value>(
  values: Partial<Readonly<Record<OperationName, Value>>> | undefined,
  operation: Operation,
): Value | undefined {
  return values?.[operation] ?? values?.[operations[operation].method === "get" ? "read" : "write"] ?? values?.all;
}
