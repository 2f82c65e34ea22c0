import type { Database, Model, Models } from "@servicekit/prisma";
import type { ResourceConfig } from "../resource/config/resource-config.js";
import type { Where } from "../resource/filter/where.js";
import { deleteRow, deleteRows } from "./delete-rows.js";
import { makeDeletionPlans } from "./deletion-plans.js";
import { lockReferences } from "./lock-references.js";
import { type RestoreContext, restoreRow } from "./restore-row.js";

/** Deletes and restores rows; created once at startup. Rows of models without soft delete are deleted permanently. */
export interface Deletions {
  /**
   * Deletes the row with a unique key.
   *
   * @throws {HttpError} 404 if the row does not exist, 409 if others reference it
   */
  deleteOne(database: Database, model: Model, where: Where): Promise<void>;
  /**
   * Deletes the rows that match a condition, inside a transaction.
   *
   * @returns their number
   * @throws {HttpError} 409 if other rows reference one of them
   */
  deleteMany(database: Database, model: Model, where: Where): Promise<number>;
  /**
   * Restores the row with a unique key, and the rows that were deleted with it.
   *
   * @throws {HttpError} 404 if the row does not exist, 409 if it is not deleted, if others have the same unique values,
   * and if it belongs to a deleted row
   */
  restoreOne(database: Database, model: Model, where: Where, context: RestoreContext): Promise<void>;
  /** The condition of rows that are not deleted; `undefined` for a model without soft delete. */
  present(model: Model): Where | undefined;
  /** The same database, whose writes of references lock the referenced rows with soft delete. */
  locking(database: Database): Database;
}

/** Creates the deletions of a service (contract C101). */
export function makeDeletions(models: Models, configs: Readonly<Record<string, ResourceConfig>>): Deletions {
  const plans = makeDeletionPlans(models, configs);
  const keySelects = new Map([...models.values()].map((model) => [model.name, keySelect(model)]));
  const now = makeClock();
  return {
    async deleteOne(database, model, where) {
      const plan = plans.get(model.name);
      if (plan === undefined) await database.of(model).delete({ where, select: keySelects.get(model.name) ?? {} });
      else await database.transaction((inside) => deleteRow(plan, where, { database: inside, plans, time: now() }));
    },
    deleteMany(database, model, where) {
      const plan = plans.get(model.name);
      if (plan === undefined) return database.of(model).deleteMany({ where });
      return database.transaction((inside) => deleteRows(plan, where, { database: inside, plans, time: now() }));
    },
    restoreOne(database, model, where, context) {
      const plan = plans.get(model.name);
      if (plan === undefined) throw new TypeError(`${model.name} has no soft delete.`);
      return database.transaction((inside) => restoreRow(plan, where, { database: inside, plans }, context));
    },
    present(model) {
      const plan = plans.get(model.name);
      return plan && { [plan.field]: null };
    },
    locking: (database) => lockReferences(database, plans),
  };
}

const keySelect = ({ uniqueKeys }: Model): Readonly<Record<string, true>> =>
  Object.fromEntries((uniqueKeys[0]?.fields ?? []).map(({ name }) => [name, true as const]));

/**
 * A different millisecond for each deletion of this process, because the time identifies the rows of a deletion. A
 * deletion repeats if another process has used its time.
 */
function makeClock(): () => Date {
  let last = 0;
  return () => {
    last = Math.max(Date.now(), last + 1);
    return new Date(last);
  };
}
