import type { Database, Model } from "@servicekit/prisma";
import type { WritableModel, WritableModels, WritableRelation } from "../resource/body/writable-model.js";
import type { Operation } from "../resource/config/operation.js";
import type { Where } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import type { PlannedRow } from "./plan-row.js";

type Rows = Where | undefined;

/** The values of new rows that the service sets and no body, such as the tenant of the caller (contract C100). */
export interface NewValues<Requester> {
  /** The names of the fields of a model. */
  readonly names: (model: Model) => ReadonlySet<string>;
  /** @throws {HttpError} 403 for a caller who can create no such row */
  readonly of: (requester: Requester, model: Model) => Row;
}

/** What a caller may do to rows (contract C13, C30, C57). */
export interface WriteRights {
  /** Whether an operation on a model is allowed at all. */
  readonly may: (model: Model, operation: Operation) => boolean | Promise<boolean>;
  /** Whether a field or relation is visible, or hidden from everyone. */
  readonly sees: (model: Model, field: string) => boolean;
  /** The rows of a model that may be read, `true` all and `false` none: bodies connect to no other. */
  readonly readable: (modelName: string) => Where | boolean | Promise<Where | boolean>;
  /** The rows that an operation may reach; `undefined` for all. */
  readonly reachable: (resource: Resource, operation: Operation) => Rows | Promise<Rows>;
  /** The rows that an operation may produce; `undefined` for all. */
  readonly left: (resource: Resource, operation: Operation) => Rows | Promise<Rows>;
}

/** How rows are deleted: permanently, or marked in models with soft delete (contract C101). */
export interface DeletesRows {
  /** @throws {HttpError} 404 if the row does not exist, 409 if others reference it */
  readonly deleteOne: (database: Database, model: Model, where: Where) => Promise<void>;
  /** The condition of rows that are not deleted; `undefined` for all. */
  readonly present: (model: Model) => Where | undefined;
}

/** The context of a request's writes. */
export interface WriteScope extends WriteRights {
  /** Within the request's transaction. */
  readonly database: Database;
  /** Adds the values of a new row that no body sets. */
  readonly completeNew: (model: Model, data: Row) => Row;
  readonly writables: WritableModels;
  readonly deletions: DeletesRows;
  /** `createRow` and `updateRow`, because related rows are rows again. */
  readonly createRow: (plan: PlannedRow, scope: WriteScope, settled: Row) => Promise<Row>;
  readonly updateRow: (plan: PlannedRow, where: Where, scope: WriteScope) => Promise<Row>;
}

/** The target model of a relation. */
export function relatedModel({ related }: WritableRelation, { writables }: WriteScope): WritableModel {
  const writable = writables.get(related.model.name);
  if (writable === undefined) throw new TypeError(`Unknown model ${related.model.name}.`);
  return writable;
}

/** The unique `where` of a row that was read with everything that relations depend on. */
export const rowKey = ({ resource: { model } }: WritableModel, row: Row): KeyWhere => keyOfRow(model, row);

/** The values of the key as a plain condition. */
export const keyCondition = ({ resource: { keySelect } }: WritableModel, row: Row): Where =>
  pick(row, Object.keys(keySelect));

export const pick = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

/** Work that can only be done after the row itself has been written. */
export type Afterwards = () => Promise<unknown>;

/** Adds the values of a new row that no body sets, except those that a hook has set. */
export function completeNew<Requester>(
  newValues: NewValues<Requester> | undefined,
  requester: Requester,
  model: Model,
  data: Row,
): Row {
  const missing = [...(newValues?.names(model) ?? [])].filter((name) => data[name] === undefined);
  if (newValues === undefined || missing.length === 0) return data;
  const values = Object.entries(newValues.of(requester, model)).filter(([name]) => missing.includes(name));
  return { ...data, ...Object.fromEntries(values) };
}
