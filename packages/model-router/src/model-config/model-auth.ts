import type { RowRights } from "@servicekit/router/internal";
import type { OperationName } from "../resource/config/of-operation.js";

export type { OperationAccess, RowFilter, RowRule } from "@servicekit/router/internal";

/**
 * The access to a model, by operation or by `read`, `write` and `all`, where the more specific name wins; an
 * unconfigured operation is for superusers only (contract C30).
 */
export interface ModelAuth extends RowRights<OperationName> {}
