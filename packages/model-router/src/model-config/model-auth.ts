import type { RowRights } from "@servicekit/router/internal";
import type { OperationWord } from "../resource/of-operation.js";

export type { OperationAccess, RowFilter, RowRule } from "@servicekit/router/internal";

/**
 * Who may do what with a model, by operation or by `read`, `write` and `all`, where the longer name wins; an operation that
 * nothing is said of is for superusers only (contract C30).
 */
export interface ModelAuth extends RowRights<OperationWord> {}
