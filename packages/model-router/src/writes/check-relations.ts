import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { ormErrors } from "@servicekit/prisma/internal";
import {
  operationOf,
  type RelationAction,
  type WritableModel,
  type WritableRelation,
} from "../resource/body/writable-model.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace } from "./at-place.js";
import type { BodyPath, PlannedLink, PlannedRow } from "./plan-row.js";
import { keyCondition, relatedModel, type WriteScope } from "./write-scope.js";

// Which related rows a request may write, by the permissions and row rules of its caller. What a body may do with a relation at
// all is checked before, when the write is planned (`resource/body/read-relation.ts`).

/**
 * Checks every action of a plan that writes rows of another model against the access that the direct request would
 * require, before any lookup: so the response is the same whether or not the row exists (contract C50, C57).
 *
 * @throws {HttpError} 400 that names the place, with the message of a missing row
 */
export async function checkActs({ links }: PlannedRow, scope: WriteScope): Promise<void> {
  for (const link of links) await checkLink(link, scope);
}

async function checkLink({ relation, acts, at }: PlannedLink, scope: WriteScope): Promise<void> {
  if (acts === null) return checkAct(relation, "disconnect", at, scope);
  for (const act of acts) {
    await checkAct(relation, act.act, act.at, scope);
    if ("row" in act) await checkActs(act.row, scope);
  }
}

async function checkAct(
  relation: WritableRelation,
  act: RelationAction,
  at: BodyPath,
  scope: WriteScope,
): Promise<void> {
  const { related, link } = relation;
  const operation = operationOf(act, link);
  if (operation !== undefined && (await scope.may(related.model, operation)) !== true) throw missing(at);
  if (link.kind !== "hasMany" || act === "update" || act === "delete") return;
  // The foreign key is a field of the other row: it is set there by its own name, or by that of its relation.
  const isSeen = link.fields.every(({ name }) => scope.sees(related.model, name));
  if (!isSeen && !scope.sees(related.model, link.opposite)) throw missing(at);
}

/**
 * Finds a related row that the caller may read, with everything that relations depend on.
 *
 * @param operation the operation on the row itself, if any
 * @throws {HttpError} 400 that names the place, the same for a row that does not exist, is not related or must not be
 * read
 */
export async function findRelated(
  relation: WritableRelation,
  conditions: readonly Where[],
  scope: WriteScope,
  at: BodyPath,
  operation?: "updateOne" | "deleteOne",
): Promise<Row> {
  const { resource, linkSelect } = relatedModel(relation, scope);
  const readable = await scope.readable(resource.model.name);
  if (readable === false) throw missing(at);
  const rule = operation === undefined ? undefined : await scope.reachable(resource, operation);
  const nonEmpty = conditions.filter((condition) => Object.keys(condition).length > 0);
  const where = allWhere([...nonEmpty, readable === true ? undefined : readable, rule]) ?? {};
  const row = await atPlace(at, () => scope.database.of(resource.model).findFirst({ where, select: linkSelect }));
  if (row === null) throw missing(at);
  return row;
}

/**
 * Checks a related row, which may have just been created, against what its caller may read: a direct request identifies
 * no other (contract C57).
 *
 * @throws {HttpError} 400 that names the place, with the message of a missing row
 */
export async function checkReadable(writable: WritableModel, row: Row, at: BodyPath, scope: WriteScope): Promise<void> {
  const { model } = writable.resource;
  const readable = await scope.readable(model.name);
  if (readable === true) return;
  if (readable === false) throw missing(at);
  const count = await scope.database.of(model).count({ where: { AND: [readable, keyCondition(writable, row)] } });
  if (count === 0) throw missing(at);
}

/** Whether the caller may take a row out of a relation for another one. */
export async function mayLeave(relation: WritableRelation, row: Row, scope: WriteScope): Promise<boolean> {
  const writable = relatedModel(relation, scope);
  const { resource } = writable;
  if (relation.rejected.has("disconnect")) return false;
  if ((await scope.may(resource.model, "updateOne")) !== true) return false;
  const readable = await scope.readable(resource.model.name);
  const rule = await scope.reachable(resource, "updateOne");
  if (readable === false) return false;
  if (readable === true && rule === undefined) return true;
  const where = allWhere([keyCondition(writable, row), readable === true ? undefined : readable, rule]) ?? {};
  return (await scope.database.of(resource.model).count({ where })) > 0;
}

/**
 * Checks a written row against the row rule of the operation.
 *
 * @throws {HttpError} 403 if it does not match
 */
export async function checkPermitted(
  { writable }: Pick<PlannedRow, "writable">,
  row: Row,
  operation: "createOne" | "updateOne",
  { database, left }: WriteScope,
): Promise<void> {
  const { model } = writable.resource;
  const rule = await left(writable.resource, operation);
  if (rule === undefined) return;
  const count = await database.of(model).count({ where: { AND: [rule, keyCondition(writable, row)] } });
  if (count === 0) throw httpErrors.Forbidden();
}

/** A related row in a body that is not available. */
export function missing(at: BodyPath) {
  const message = "This record does not exist.";
  const issue: ValidationIssue = { in: "body", path: toJsonPointer(at), code: "RelatedRecordNotFound", message };
  return ormErrors.RelatedRecordNotFound(undefined, { errors: [issue] });
}

/** A relation that cannot be removed. */
export function required(at: BodyPath) {
  const message = "This relation is required. It can be changed, but not removed.";
  const issue: ValidationIssue = { in: "body", path: toJsonPointer(at), code: "RequiredValue", message };
  return ormErrors.RequiredValue(message, { errors: [issue] });
}
