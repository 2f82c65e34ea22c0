import { referencing } from "../conditions/related-where.js";
import { type Dependent, isCascade } from "../models/dependents.js";
import type { Model } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import type { RowChanged } from "./change-log.js";
import type { Delegate } from "./delegate.js";
import type { RecordedModels } from "./recorded-models.js";
import { keySelect, type RecordedRows, recordedRows } from "./recorded-rows.js";
import { keyFields, keyText } from "./row-key.js";

/** What the rows that reference deleted ones are found with. */
export interface ReferencingSettings {
  readonly recorded: RecordedModels;
  /** The rows of a model, in the transaction of the delete. */
  readonly of: (model: Model | string) => Delegate;
}

/**
 * Finds and locks the rows that a delete also deletes or changes by `onDelete`, in models that are recorded.
 *
 * @returns a function that stores their changes after the delete
 */
export async function watchReferencing(
  model: Model,
  deleted: readonly Row[],
  { recorded, of }: ReferencingSettings,
): Promise<() => Promise<void>> {
  const found: { readonly model: Model; readonly rows: readonly Row[] }[] = [];
  // Deleted rows that reference each other are stored with the others that are deleted.
  const seen = new Set(deleted.map((row) => textOf(model, row)));
  await find(model, deleted);
  return async () => {
    for (const { model: changed, rows } of found) {
      const select = recorded.find(changed)?.select;
      if (select !== undefined)
        await recorded.log.store(of, changed, await changesSince(recordedRows(of(changed), changed, select), rows));
    }
  };

  async function find(parent: Model, parents: readonly Row[]): Promise<void> {
    for (const dependent of recorded.dependents(parent)) {
      const rows = (await lockReferencing(dependent, parent, parents)).filter((row) => isNew(dependent, row));
      if (rows.length === 0) continue;
      found.push({ model: dependent.model, rows });
      if (isCascade(dependent)) await find(dependent.model, rows);
    }
  }

  async function lockReferencing({ model: child, relation }: Dependent, parent: Model, parents: readonly Row[]) {
    const { references } = relation.relation;
    const isRead = parents.every((row) => references.every((name) => Object.hasOwn(row, name)));
    const fields = Object.fromEntries(references.map((name) => [name, true]));
    const where = referencing(
      relation,
      isRead ? parents : await recordedRows(of(parent), parent, fields).read(parents),
    );
    if (where === undefined) return [];
    const select = recorded.find(child)?.select ?? keySelect(child);
    return recordedRows(of(child), child, select).lock(where, { forDelete: true });
  }

  function isNew({ model: child }: Dependent, row: Row): boolean {
    const text = textOf(child, row);
    return !seen.has(text) && seen.add(text) !== undefined;
  }
}

const textOf = (model: Model, row: Row): string => `${model.name} ${keyText(keyFields(model), row)}`;

/** The changes of locked rows since they were read: deletes, and updates of those that still exist. */
export async function changesSince(rows: RecordedRows, before: readonly Row[]): Promise<readonly RowChanged[]> {
  const left = rows.byKey(await rows.read(before));
  return before.map((row): RowChanged => {
    const after = left.get(rows.textOf(row));
    return after === undefined ? { operation: "delete", before: row } : { operation: "update", before: row, after };
  });
}
