import { toJsonPointer } from "@servicekit/core/internal";
import { type Delegate } from "@servicekit/prisma";
import { ormErrors, toJsonValue } from "@servicekit/prisma/internal";
import type { WriteMode } from "../resource/body/relation-act.js";
import type { RelationLink, WritableModel } from "../resource/body/writable-model.js";
import { allWhere } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace } from "./at-place.js";
import { checkPermitted, checkReadable, findRelated, mayLeave, missing, required } from "./check-relations.js";
import type { BodyPath, PlannedAction, PlannedLink } from "./plan-row.js";
import { createRelated, updateRelated } from "./related-row.js";
import { relatedModel, rowKey, type WriteScope } from "./write-scope.js";

type HasManyLink = RelationLink & { readonly kind: "hasMany" };

/** The related rows of one row. */
interface Their {
  readonly planned: PlannedLink;
  readonly link: HasManyLink;
  readonly writable: WritableModel;
  readonly rows: Delegate;
  /** Their foreign keys to this row. */
  readonly keys: Row;
  readonly scope: WriteScope;
}

/** Executes a relation that is stored in foreign keys of the related rows: removals first. */
export async function writeHasMany(
  planned: PlannedLink,
  row: Row,
  holder: WritableModel,
  mode: WriteMode,
  scope: WriteScope,
): Promise<void> {
  const { relation, acts, at } = planned;
  const { link } = relation;
  if (link.kind !== "hasMany") return;
  const writable = relatedModel(relation, scope);
  const keys = Object.fromEntries(link.fields.map(({ name }, index) => [name, row[link.references[index] ?? ""]]));
  if (Object.values(keys).some((value) => value === null || value === undefined)) {
    if (acts?.some(({ act }) => act === "create" || act === "connect")) throw missing(at);
    return;
  }
  const their: Their = { planned, link, writable, rows: scope.database.of(writable.resource.model), keys, scope };
  if (acts === null) {
    if (mode === "update") await leaveCurrent(their, undefined);
    return;
  }
  const goes = ({ act }: PlannedAction) => act === "delete" || act === "disconnect";
  for (const act of acts.filter(goes)) await carryOut(their, act, mode);
  for (const act of acts.filter((one) => !goes(one))) await carryOut(their, act, mode);
  // A new related row references this row by its foreign key, as its own body would.
  const came = acts.find(({ act }) => act === "create" || act === "connect");
  if (came !== undefined) await checkReadable(holder, row, came.at, scope);
}

async function carryOut(their: Their, act: PlannedAction, mode: WriteMode): Promise<void> {
  const { planned, link, writable, rows, keys, scope } = their;
  const { relation } = planned;
  const { at } = act;
  const mayReplace = mode === "update" && !relation.field.isList;
  if (act.act === "create") {
    if (mayReplace) await leaveCurrent(their, undefined);
    await createRelated(act.row, scope, keys);
    return;
  }
  if (act.act === "connect") {
    const found = await findRelated(relation, [act.where], scope, at, "updateOne");
    const key = rowKey(writable, found);
    if (mayReplace) await leaveCurrent(their, found);
    await atPlace(at, () => rows.update({ where: key, data: keys, select: writable.linkSelect }), settledBy(link));
    await checkPermitted({ writable }, found, "updateOne", scope);
    return;
  }
  const operation = act.act === "delete" ? "deleteOne" : "updateOne";
  const key = rowKey(writable, await findRelated(relation, [act.where, keys], scope, at, operation));
  if (act.act === "update") await updateRelated(act.row, key, scope);
  else if (act.act === "delete")
    await atPlace(at, () => scope.deletions.deleteOne(scope.database, writable.resource.model, key));
  else await disconnect(their, key, at);
}

/**
 * Removes the related row of a to-one relation, for another row or none. A row that the caller may not change stays.
 */
async function leaveCurrent(their: Their, next: Row | undefined): Promise<void> {
  const { planned, writable, rows, keys, link, scope } = their;
  const where = allWhere([keys, scope.deletions.present(writable.resource.model)]) ?? keys;
  const current = await rows.findFirst({ where, select: writable.linkSelect });
  if (current === null) return;
  const key = rowKey(writable, current);
  if (next !== undefined && isSame(key, rowKey(writable, next))) return;
  const mayChange = await mayLeave(planned.relation, current, scope);
  if (planned.acts === null) {
    if (mayChange) await disconnect(their, key, planned.at);
    return;
  }
  if (!mayChange || link.fields.every(({ isRequired }) => isRequired)) {
    const message = "Another record is related here and requires this one.";
    const errors = [{ in: "body", path: toJsonPointer(planned.at), code: "RelationConstraint", message }] as const;
    throw ormErrors.RelationConstraint(message, { errors });
  }
  await disconnect(their, key, planned.at);
}

const isSame = (one: Row, other: Row): boolean =>
  JSON.stringify(toJsonValue(one)) === JSON.stringify(toJsonValue(other));

async function disconnect({ rows, link, writable, scope }: Their, key: Row, at: BodyPath): Promise<void> {
  const optional = link.fields.filter(({ isRequired }) => !isRequired);
  if (optional.length === 0) throw required(at);
  const data = Object.fromEntries(optional.map(({ name }) => [name, null]));
  const row = await atPlace(at, () => rows.update({ where: key, data, select: writable.linkSelect }), settledBy(link));
  await checkPermitted({ writable }, row, "updateOne", scope);
}

/** Errors of the foreign keys are errors of the complete object. */
const settledBy = (link: HasManyLink) => (name: string) =>
  link.fields.some((field) => field.name === name) ? "" : name;
