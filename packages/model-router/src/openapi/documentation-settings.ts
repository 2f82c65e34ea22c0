import type { QueryLimits } from "@servicekit/query-parser";
import type { Schema } from "@servicekit/router";
import type { RowRights } from "@servicekit/router/internal";
import type { OperationWord } from "../resource/of-operation.js";
import type { IncludeLimits, ResourceConfig } from "../resource/resource-config.js";

/** What is configured of a model, as far as its documentation tells of it. */
export interface DocumentedModel extends Pick<ResourceConfig, "query"> {
  /** Who may do what: rows and fields that some callers do not see. */
  readonly auth?: RowRights<OperationWord>;
  /** Validation in place of what is derived from the model, by operation, or by `create` and `update`. */
  readonly schemas?: Partial<Readonly<Record<string, Schema>>>;
}

/** What generated routes are documented with. */
export interface DocumentationSettings {
  /** By the model's name. */
  readonly models: Readonly<Record<string, DocumentedModel>>;
  /** How deep `include` goes, and how many rows it brings of each to-many relation (contract C8). */
  readonly include: IncludeLimits;
  /** The limits of a query (contract C20). */
  readonly query: QueryLimits;
  /** Whether `field__op=value` is read besides `field[op]=value`. */
  readonly parseDoubleUnderscore: boolean;
}
