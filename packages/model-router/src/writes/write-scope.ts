import type { FieldFault } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import { type Database, type Model } from "@servicekit/prisma";
import { ormErrors } from "@servicekit/prisma/internal";
import type { WritableModel, WritableModels, WritableRelation } from "../resource/body/writable-model.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow } from "../resource/key.js";
import type { Operation } from "../resource/operation.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { atPlace } from "./at-place.js";
import type { BodyPath, PlannedRow } from "./plan-row.js";

type Rows = Where | undefined;

/** What somebody may do to rows (contract C13, C30, C57). */
export interface WriteRights {
  /** Whether an operation with a model may be done at all. */
  readonly may: (model: Model, operation: Operation) => boolean | Promise<boolean>;
  /** Whether a field or relation is seen, or nobody sees it. */
  readonly sees: (model: Model, field: string) => boolean;
  /** The rows of a model that may be read, `true` all and `false` none: bodies connect to no other. */
  readonly readable: (modelName: string) => Where | boolean | Promise<Where | boolean>;
  /** The rows that an operation may reach; `undefined` for all. */
  readonly reachable: (resource: Resource, operation: Operation) => Rows | Promise<Rows>;
  /** The rows that an operation may leave behind; `undefined` for all. */
  readonly left: (resource: Resource, operation: Operation) => Rows | Promise<Rows>;
}

/** What the rows of one request are written with. */
export interface WriteScope extends WriteRights {
  /** Within the request's transaction. */
  readonly database: Database;
  readonly writables: WritableModels;
  /** `createRow` and `updateRow`: what hangs on a row are rows again. */
  readonly createRow: (plan: PlannedRow, scope: WriteScope, settled: Row) => Promise<Row>;
  readonly updateRow: (plan: PlannedRow, where: Where, scope: WriteScope) => Promise<Row>;
}

/** The model at the other end of a relation. */
export function relatedModel({ related }: WritableRelation, { writables }: WriteScope): WritableModel {
  const writable = writables.get(related.model.name);
  if (writable === undefined) throw new TypeError(`There is no model ${related.model.name}.`);
  return writable;
}

/**
 * Finds a related row that the caller may read, with everything that relations hang on.
 *
 * @param operation what is to be done with the row itself, where something is
 * @throws {HttpError} 400 that names the place, the same for a row that does not exist, is not related or must not be read
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
  const told = conditions.filter((condition) => Object.keys(condition).length > 0);
  const where = allWhere([...told, readable === true ? undefined : readable, rule]) ?? {};
  const row = await atPlace(at, () => scope.database.of(resource.model).findFirst({ where, select: linkSelect }));
  if (row === null) throw missing(at);
  return row;
}

/**
 * Holds a row that a relation hangs on, or leads to since it was just made, against what its caller may read: a direct
 * request names no other (contract C57).
 *
 * @throws {HttpError} 400 that names the place, in the words of a missing row
 */
export async function checkReadable(writable: WritableModel, row: Row, at: BodyPath, scope: WriteScope): Promise<void> {
  const { model } = writable.resource;
  const readable = await scope.readable(model.name);
  if (readable === true) return;
  if (readable === false) throw missing(at);
  const count = await scope.database.of(model).count({ where: { AND: [readable, keyCondition(writable, row)] } });
  if (count === 0) throw missing(at);
}

/** The unique `where` of a row that was read with everything that relations hang on. */
export const rowKey = ({ resource: { model } }: WritableModel, row: Row): KeyWhere => keyOfRow(model, row);

/** The values of the key as a plain condition. */
export const keyCondition = ({ resource: { keySelect } }: WritableModel, row: Row): Where =>
  pick(row, Object.keys(keySelect));

export const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** A related row that a body names and that cannot be had. */
export function missing(at: BodyPath) {
  const message = "This record does not exist.";
  const fault: FieldFault = { in: "body", path: toJsonPointer(at), code: "RelatedRecordNotFound", message };
  return ormErrors.RelatedRecordNotFound(undefined, { errors: [fault] });
}

/** A relation that cannot be taken away. */
export function required(at: BodyPath) {
  const message = "This relation is required: it can be changed, but not taken away.";
  const fault: FieldFault = { in: "body", path: toJsonPointer(at), code: "RequiredValue", message };
  return ormErrors.RequiredValue(message, { errors: [fault] });
}
