import type { Operation } from "@servicekit/resource";
import type { RowRights } from "@servicekit/router";

export type { OperationAccess, RowFilter, RowRule } from "@servicekit/router";

/** Who may do what with a model; an operation that is not named is for superusers only (contract C30). */
export interface ModelAuth extends RowRights<Operation> {}
