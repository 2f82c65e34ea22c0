import type { Database, Model } from "@servicekit/prisma";
import { lockAll, rowsWhere } from "@servicekit/prisma/internal";
import type { Where } from "../resource/filter/where.js";
import { keyOfRow } from "../resource/key.js";
import type { Row } from "../resource/values/to-json.js";
import type { DeletionPlan } from "./deletion-plans.js";

/** Rows per statement. */
const batch = 1000;

/** Changes all rows that match a condition which no changed row matches, in batches. */
export async function changeBatches(
  database: Database,
  { model, select }: DeletionPlan,
  where: Where,
  data: Row,
  then: (rows: readonly Row[]) => Promise<void>,
): Promise<void> {
  const rows = database.of(model);
  const names = keyNames(model);
  const orderBy = names.map((name) => ({ [name]: "asc" as const }));
  for (;;) {
    const found = await rows.findMany({ where, select, orderBy, take: batch });
    if (found.length === 0) return;
    const changed = await rows.updateMany({ where: { AND: [rowsWhere(names, found), where] }, data, select });
    // Another request has changed them, or a trigger keeps them as they are.
    if (changed.length === 0) return;
    await then(changed);
    if (found.length < batch) return;
  }
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
