import type { ModelConfig } from "../model-config/model-config.js";
import { accessOfOperation } from "../resource/config/of-operation.js";
import type { Operation } from "../resource/config/operation.js";

/** Whether a row rule applies to an operation. */
export function hasRowRule(operation: Operation, { auth }: ModelConfig): boolean {
  const own = accessOfOperation(auth, operation);
  return auth?.where !== undefined || (typeof own === "object" && "where" in own && own.where !== undefined);
}
