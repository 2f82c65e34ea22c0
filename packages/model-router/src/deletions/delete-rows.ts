import type { Database, Model } from "@servicekit/prisma";
import { ormErrors, referencing } from "@servicekit/prisma/internal";
import { allWhere, type Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import type { DeletionPlan, DeletionPlans } from "./deletion-plans.js";
import { changeBatches, matchesAny, matchesOthers } from "./row-batches.js";

/** The context of one deletion. */
export interface DeletionContext {
  /** Within a transaction. */
  readonly database: Database;
  readonly plans: DeletionPlans;
  /** The time of the deletion, the same for all of its rows, and for no other row below them. */
  readonly time: Date;
}

/** Marks the row with a unique key, and the rows that are deleted with it. */
export async function deleteRow(plan: DeletionPlan, where: Where, context: DeletionContext): Promise<void> {
  const { model, field, select } = plan;
  const rows = context.database.of(model);
  // Like a real delete: requests that insert a reference to the row end first.
  await rows.lock(where);
  const row = await rows.findUnique({ where: { ...where, AND: [where.AND ?? [], present(plan)].flat() }, select });
  if (row === null) throw ormErrors.NotFound();
  await rows.update({ where: keyOf(where), data: { [field]: context.time }, select });
  await deleteBelow(plan, [row], context);
}

/** Marks the rows that match a condition, and the rows that are deleted with them. */
export async function deleteRows(plan: DeletionPlan, where: Where, context: DeletionContext): Promise<number> {
  const { model, field, select } = plan;
  const marked = await context.database
    .of(model)
    .updateMany({ where: allWhere([where, present(plan)]) ?? {}, data: { [field]: context.time }, select });
  if (marked.length > 0) await deleteBelow(plan, marked, context);
  return marked.length;
}

/** Marks the rows that are deleted together with others, then checks what references any of them. */
async function deleteBelow(plan: DeletionPlan, rows: readonly Row[], context: DeletionContext): Promise<void> {
  const deleted = new Map<DeletionPlan, Row[]>();
  await cascade(plan, rows);
  for (const [each, of] of deleted) await checkReferences(each, of, context);

  async function cascade(of: DeletionPlan, parents: readonly Row[]): Promise<void> {
    deleted.set(of, [...(deleted.get(of) ?? []), ...parents]);
    for (const { relation, model } of of.cascades) {
      const below = planOf(model, context);
      const children = referencing(relation, parents);
      if (children === undefined) continue;
      const where = { AND: [children, present(below)] };
      const data = { [below.field]: context.time };
      const { database } = context;
      const changed = await changeBatches(database, below, where, data, (found) => cascade(below, found));
      // Another deletion has the same time, and a restore would join both: the transaction is repeated with a later one.
      const isMarked = { AND: [children, data] };
      if (await matchesOthers(database, below, isMarked, deleted.get(below) ?? [], changed))
        throw ormErrors.WriteConflict();
    }
  }
}

/** A row that another one requires is not deleted (contract C17). */
async function checkReferences(
  { restricts }: DeletionPlan,
  rows: readonly Row[],
  { database, plans }: DeletionContext,
): Promise<void> {
  for (const { relation, model } of restricts) {
    const plan = plans.get(model.name);
    const isReferenced = await matchesAny(database, model, rows, (some) => {
      const children = referencing(relation, some);
      return children && (allWhere([children, plan && present(plan)]) as Where);
    });
    if (isReferenced) throw ormErrors.ForeignKeyConstraint();
  }
}

const present = ({ field }: DeletionPlan): Where => ({ [field]: null });

/** A unique `where` without its other conditions. */
export const keyOf = ({ AND: _others, ...key }: Where): Where => key;

function planOf({ name }: Model, { plans }: Pick<DeletionContext, "plans">): DeletionPlan {
  const plan = plans.get(name);
  if (plan === undefined) throw new TypeError(`${name} has no soft delete.`);
  return plan;
}
