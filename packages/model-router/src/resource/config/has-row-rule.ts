import type { RowRights } from "@servicekit/router/internal";
import { accessOfOperation, type OperationName } from "./of-operation.js";
import type { Operation } from "./operation.js";

/** Whether a row rule applies to an operation. */
export function hasRowRule(operation: Operation, { auth }: { readonly auth?: RowRights<OperationName> }): boolean {
  const own = accessOfOperation(auth, operation);
  return auth?.where !== undefined || (typeof own === "object" && "where" in own && own.where !== undefined);
}
