import type { Database, Model } from "@servicekit/prisma";
import { lockAll, rowsWhere } from "@servicekit/prisma/internal";
import type { Where } from "../resource/filter/where.js";
import { keyOfRow } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";
import type { DeletionPlan } from "./deletion-plans.js";

/** Rows per statement. */
const batch = 1000;

/**
 * Changes all rows that match a condition which no changed row matches, in batches.
 *
 * @returns the number of changed rows
 */
export async function changeBatches(
  database: Database,
  { model, select }: DeletionPlan,
  where: Where,
  data: Row,
  then: (rows: readonly Row[]) => Promise<void>,
): Promise<number> {
  const rows = database.of(model);
  const names = keyNames(model);
  const orderBy = names.map((name) => ({ [name]: "asc" as const }));
  for (let count = 0; ; ) {
    const found = await rows.findMany({ where, select, orderBy, take: batch });
    if (found.length === 0) return count;
    const changed = await rows.updateMany({ where: { AND: [rowsWhere(names, found), where] }, data, select });
    // Another request has changed them, or a trigger keeps them as they are.
    if (changed.length === 0) return count;
    count += changed.length;
    await then(changed);
    if (found.length < batch) return count;
  }
}

/**
 * Whether a condition matches other rows than the given ones.
 *
 * @param changed how many of the given rows certainly match
 */
export async function matchesOthers(
  database: Database,
  { model }: DeletionPlan,
  where: Where,
  given: readonly Row[],
  changed: number,
): Promise<boolean> {
  const rows = database.of(model);
  let others = await rows.count({ where });
  if (others <= changed) return false;
  for (let start = 0; start < given.length && others > 0; start += batch) {
    const some = rowsWhere(keyNames(model), given.slice(start, start + batch));
    others -= await rows.count({ where: { AND: [some, where] } });
  }
  return others > 0;
}

/**
 * Whether a condition of rows, in batches, matches any row.
 *
 * @param before called before each batch
 */
export async function matchesAny(
  database: Database,
  model: Model,
  rows: readonly Row[],
  whereOf: (rows: readonly Row[]) => Where | undefined,
  before?: (rows: readonly Row[]) => Promise<void>,
): Promise<boolean> {
  const select = Object.fromEntries(keyNames(model).map((name) => [name, true]));
  for (let start = 0; start < rows.length; start += batch) {
    const some = rows.slice(start, start + batch);
    await before?.(some);
    const where = whereOf(some);
    if (where !== undefined && (await database.of(model).findFirst({ where, select })) !== null) return true;
  }
  return false;
}

/** Locks the rows that match a condition, so that no other request deletes or restores them meanwhile. */
export async function lockMatching(database: Database, model: Model, where: Where): Promise<void> {
  const rows = database.of(model);
  const select = Object.fromEntries((model.key?.fields ?? []).map(({ name }) => [name, true as const]));
  const found = await rows.findMany({ where, select });
  await lockAll(
    rows,
    found.map((row) => keyOfRow(model, row)),
  );
}

const keyNames = ({ uniqueKeys, name }: Model): string[] => {
  const [key] = uniqueKeys;
  if (key === undefined) throw new TypeError(`${name} has no key.`);
  return key.fields.map((field) => field.name);
};
