import { type Operation, operationNames, operations } from "./operation.js";

/**
 * What a configuration calls operations: each by its name, or several by one word. `read` is `findMany` and `findOne`,
 * `write` the six that create, update and delete, `all` the eight.
 */
export type OperationWord = Operation | "read" | "write" | "all";

export const operationWords: readonly OperationWord[] = [...operationNames, "read", "write", "all"];

/** What is said of one operation: under its own name, else under `read` or `write`, else under `all`. */
export function ofOperation<Said>(
  said: Partial<Readonly<Record<OperationWord, Said>>> | undefined,
  operation: Operation,
): Said | undefined {
  return said?.[operation] ?? said?.[operations[operation].method === "get" ? "read" : "write"] ?? said?.all;
}
