import { isHttpError } from "@servicekit/core";
import type { Database, Model, Result, RowsResult } from "@servicekit/prisma";
import { ormErrors } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { permittedWrite } from "../access/permitted-write.js";
import { modelQuery, modelState } from "../request/request-state.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow, keyText } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { checkDistinct, checkKeys, idOfItem, keysWhere } from "./bulk-keys.js";
import { matchingRows } from "./matching-rows.js";
import { namingItems } from "./name-items.js";
import type { OperationContext, RunOperation } from "./operation-context.js";
import { seenAsJson } from "./seen-as-json.js";
import { setRows } from "./set-result.js";
import { writeEach } from "./write-each.js";

type Item = { readonly id: KeyWhere | null } & Row;

/**
 * Updates several rows, all or none: each with its own values, or all that match a filter with the same values
 * (contract C14).
 */
export const updateMany: RunOperation = async (context, request, response) => {
  const { where } = modelQuery(request);
  const body = request.body as readonly Item[] | Row;
  const result = Array.isArray(body)
    ? await updateEach(body as readonly Item[], context, request)
    : await updateMatching(body as Row, where, context, request);
  setRows(result, request, response);
};

async function updateEach(items: readonly Item[], context: OperationContext, request: Request): Promise<Result> {
  const { database, outside, resource, writer, deletions } = context;
  const { select } = modelQuery(request);
  const { rows: rule, left } = modelState(request);
  const ids = items.map(({ id }) => id);
  const bodies = items.map(({ id: _, ...body }) => body);
  if (writer.nameRelations(resource, bodies)) {
    return database.transaction(async (transaction) => {
      const keys = await lockKeys(ids, transaction, resource, rule);
      const changes = keys.map((where, index) => ({ where, body: bodies[index] ?? {}, at: [index] }));
      return writeEach({ ...context, database: transaction }, request, changes);
    });
  }
  const rows = await writer.toData(resource, bodies);
  const changesOf = (keys: readonly KeyWhere[]) => keys.map((where, index) => ({ where, data: rows[index] ?? {} }));
  const update = async () => {
    checkDistinct(ids, resource, idOfItem);
    const keys = ids.filter((id) => id !== null);
    // Without rules, the update itself determines whether all rows exist.
    if (rule === undefined && left === undefined && keys.length === ids.length) {
      const seen = await seenAsJson("updateMany", context, request);
      const args = { changes: changesOf(keys), select };
      const changed = await unlessMissing(database.of(resource.model).execute({ operation: "updateEach", args }, seen));
      if (changed !== undefined) return changed;
    }
    return database.transaction(async (transaction) => {
      const changes = changesOf(await lockKeys(ids, transaction, resource, rule));
      return permittedWrite(transaction, resource, request, (inside) =>
        inside.of(resource.model).execute({ operation: "updateEach", args: { changes, select } }),
      );
    });
  };
  return namingItems(update, { rows, keys: ids, at: [] }, { database: outside, deletions }, resource);
}

/**
 * Checks the keys, and locks rows that must match a rule: the update has only the keys as its condition, so that it would
 * change a row that no longer matches after a concurrent request.
 *
 * @param rule the accessible rows
 */
async function lockKeys(
  ids: readonly (KeyWhere | null)[],
  database: Database,
  resource: Resource,
  rule: Where | undefined,
): Promise<readonly KeyWhere[]> {
  const keys = await checkKeys(ids, database, resource, idOfItem, rule);
  if (rule === undefined) return keys;
  const rows = database.of(resource.model);
  await rows.lockEach(keys);
  const count = await rows.count({ where: allWhere([rule, keysWhere(resource, keys)]) ?? {} });
  // Repeated, the check names the missing rows.
  if (count < keys.length) throw ormErrors.WriteConflict();
  return keys;
}

/** `undefined` if a row is missing: nothing was changed, and the missing one must be looked up. */
async function unlessMissing<Changed>(changed: Promise<Changed>): Promise<Changed | undefined> {
  try {
    return await changed;
  } catch (error) {
    if (isHttpError(error) && error.code === "NotFound") return undefined;
    throw error;
  }
}

async function updateMatching(
  body: Row,
  where: Where,
  context: OperationContext,
  request: Request,
): Promise<RowsResult> {
  const { database, resource, writer } = context;
  const { select } = modelQuery(request);
  const { keySelect, keyOrder, model } = resource;
  if (!writer.nameRelations(resource, [body])) {
    const [data = body] = await writer.toData(resource, [body]);
    return database.transaction(async (transaction) => {
      const matching = await matchingRows(where, transaction, resource);
      const { rows } = await permittedWrite(transaction, resource, request, async (inside) => ({
        rows: await inside.of(model).updateMany({ where: matching.where, data, select: { ...select, ...keySelect } }),
      }));
      return { rows: asFound(rows, matching.found, { model, data, select }) };
    });
  }
  return database.transaction(async (transaction) => {
    await matchingRows(where, transaction, resource);
    const found = await transaction.of(model).findMany({ where, select: keySelect, orderBy: keyOrder });
    const changes = found.map((row) => ({ body, at: [], where: keyOfRow(model, row) }));
    return writeEach({ ...context, database: transaction }, request, changes);
  });
}

/** The rows in the order in which they were found: PostgreSQL returns them in storage order. */
function asFound(
  rows: readonly Row[],
  found: readonly Row[],
  { model, data, select }: { readonly model: Model; readonly data: Row; readonly select: Row },
): readonly Row[] {
  const names = (model.key?.fields ?? []).map(({ name }) => name);
  // The changes of the key are equal in all rows.
  const changed = Object.fromEntries(
    names.filter((name) => Object.hasOwn(data, name)).map((name) => [name, data[name]]),
  );
  const nameOf = (row: Row): string => keyText(model, keyOfRow(model, row));
  const places = new Map(found.map((row, place) => [nameOf({ ...row, ...changed }), place]));
  const place = (row: Row): number => places.get(nameOf(row)) ?? found.length;
  const isShown = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(select, name);
  return rows
    .toSorted((one, other) => place(one) - place(other))
    .map((row) => Object.fromEntries(Object.entries(row).filter(isShown)));
}
