import type { Model } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import type { Delegate } from "./delegate.js";
import type { ChangeEntry } from "./executor.js";

/** A change of one row. The rows have the recorded fields, as they are in the database. */
export type RowChanged =
  | { readonly operation: "create"; readonly after: Row }
  | { readonly operation: "update"; readonly before: Row; readonly after: Row }
  | { readonly operation: "delete"; readonly before: Row };

/** Stores the changes of rows in the transaction of the writes that made them. */
export interface ChangeLog {
  /**
   * The names of the fields that are recorded, including those of the key; `undefined` for a model whose changes are not
   * recorded.
   */
  fieldsOf(model: Model): readonly string[] | undefined;
  /** The values of a change that is made now, without those of its row; for engines that store it with the write. */
  entry(model: Model): Pick<ChangeEntry, "changes" | "data">;
  /**
   * Stores changes, in their order.
   *
   * @param of the rows of a model, in the transaction of the write
   */
  store(of: (model: Model | string) => Delegate, model: Model, changes: readonly RowChanged[]): Promise<void>;
  /** Called after a transaction that stored changes has committed. */
  committed?(): void;
}
