import type { QueryLimits } from "@servicekit/query-parser";
import type { Schema } from "@servicekit/router";
import type { RowRights } from "@servicekit/router/internal";
import type { OperationName } from "../resource/config/of-operation.js";
import type { IncludeLimits, ResourceConfig } from "../resource/config/resource-config.js";

/** The configuration of a model that its documentation needs. */
export interface DocumentedModel extends Pick<ResourceConfig, "query" | "export" | "import"> {
  /** The access rules: rows and fields that some callers may not see. */
  readonly auth?: RowRights<OperationName>;
  /** Validation in place of the derived schemas, by operation, or by `create` and `update`. */
  readonly schemas?: Partial<Readonly<Record<string, Schema>>>;
}

/** The options of the documentation. */
export interface DocumentationSettings {
  /** By the model's name. */
  readonly models: Readonly<Record<string, DocumentedModel>>;
  /** Maximum depth of `include`, and maximum number of rows of each to-many relation (contract C8). */
  readonly include: IncludeLimits;
  /** The limits of a query (contract C20). */
  readonly query: QueryLimits;
  /** Maximum number of rows of one export (contract C104). */
  readonly exportRows: number;
  /** Whether `field__op=value` is supported besides `field[op]=value`. */
  readonly parseDoubleUnderscore: boolean;
}
