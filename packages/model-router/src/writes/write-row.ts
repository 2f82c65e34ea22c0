import { ormErrors } from "@servicekit/prisma/internal";
import type { Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace, type ShownName } from "./at-place.js";
import { writeBelongsTo } from "./belongs-to.js";
import { writeHasMany } from "./has-many.js";
import { writeManyToMany } from "./many-to-many.js";
import type { PlannedRow } from "./plan-row.js";
import { type Afterwards, pick, rowKey, type WriteScope } from "./write-scope.js";

type Select = Readonly<Record<string, unknown>>;

/**
 * Creates a planned row with its related rows, in the scope's transaction: first the rows that it references, then the
 * row, then the rows that reference it.
 *
 * @param settled foreign keys that its place determines
 */
export async function createRow(
  plan: PlannedRow,
  scope: WriteScope,
  select: Select = {},
  settled: Row = {},
): Promise<Row> {
  const { writable, at } = plan;
  const { model } = writable.resource;
  const data = { ...scope.completeNew(model, { ...plan.data, ...settled }) };
  for (const link of plan.links) await writeBelongsTo(link, data, undefined, scope, []);
  const row = await atPlace(
    at,
    () => scope.database.of(model).create({ data, select: { ...select, ...writable.linkSelect } }),
    shownNames(plan, settled),
  );
  return writeAround(plan, row, "create", scope, select);
}

/**
 * Updates a planned row with its related rows, in the scope's transaction.
 *
 * @throws {HttpError} 404 if the row does not exist
 */
export async function updateRow(plan: PlannedRow, where: Where, scope: WriteScope, select: Select = {}): Promise<Row> {
  const { writable, at } = plan;
  const rows = scope.database.of(writable.resource.model);
  const afterwards: Afterwards[] = [];
  const data = { ...plan.data };
  if (plan.links.length > 0) {
    const current = await rows.findUnique({ where, select: writable.linkSelect });
    if (current === null) throw ormErrors.NotFound();
    for (const link of plan.links) await writeBelongsTo(link, data, current, scope, afterwards);
  }
  const complete = { ...select, ...writable.linkSelect };
  const row = await atPlace(at, () => rows.update({ where, data, select: complete }), shownNames(plan, {}));
  for (const act of afterwards) await act();
  return writeAround(plan, row, "update", scope, select);
}

/** The links that are not stored in the row itself. */
async function writeAround(
  plan: PlannedRow,
  row: Row,
  mode: "create" | "update",
  scope: WriteScope,
  select: Select,
): Promise<Row> {
  const { writable, links } = plan;
  for (const link of links) {
    await writeHasMany(link, row, writable, mode, scope);
    await writeManyToMany(link, row, writable, scope);
  }
  const isStale = links.some(({ relation, acts }) => {
    if (relation.link.kind === "belongsTo") return false;
    // Prisma updates the timestamp of a linked row, and related rows may lead back to this one, or be this one.
    if (relation.link.kind === "manyToMany" || relation.related.model.name === writable.resource.model.name)
      return true;
    return acts?.some((act) => "row" in act && act.row.links.length > 0) === true;
  });
  const names = Object.keys(select);
  if (names.length === 0 || !isStale) return names.length === 0 ? row : pick(row, names);
  const where = rowKey(writable, row);
  return (await scope.database.of(writable.resource.model).findUnique({ where, select })) ?? pick(row, names);
}

/**
 * A foreign key from a relation of the body is reported as that relation; a field of several foreign keys as the one
 * whose fields are all in the error.
 */
function shownNames({ links }: PlannedRow, settled: Row): ShownName {
  const names = new Map(Object.keys(settled).map((name) => [name, ""]));
  const keys = new Map<string, string>();
  for (const { relation } of links) {
    if (relation.link.kind !== "belongsTo") continue;
    const fields = relation.link.fields.map(({ name }) => name);
    keys.set(fields.join(), relation.name);
    for (const name of fields) names.set(name, relation.name);
  }
  return (name, invalid) => keys.get(invalid.join()) ?? names.get(name) ?? name;
}
