import type { Row, Where } from "@servicekit/resource";
import { type KeyWhere, keyOfRow } from "@servicekit/resource";
import type { Request } from "express";
import { permittedWrite } from "../access/permitted-write.js";
import { modelLocals, modelQuery, modelState } from "../request-state.js";
import { checkKeys, idOfItem } from "./bulk-keys.js";
import { matchingRows } from "./matching-rows.js";
import { namingItems } from "./name-items.js";
import type { OperationContext, RunOperation } from "./run-operation.js";

type Item = { readonly id: KeyWhere | null } & Row;

/** Changes many rows, all or none: each its own way, or all that meet a filter in the same way (contract C14). */
export const updateMany: RunOperation = async (context, request, response) => {
  const { where } = modelQuery(request);
  const body = request.body as readonly Item[] | Row;
  const rows = Array.isArray(body)
    ? await updateEach(body as readonly Item[], context, request)
    : await updateMatching(body as Row, where, context, request);
  const locals = modelLocals(response);
  locals.data = rows;
  locals.meta = { count: rows.length };
};

async function updateEach(
  items: readonly Item[],
  { database, resource, writer }: OperationContext,
  request: Request,
): Promise<readonly Row[]> {
  const { select } = modelQuery(request);
  const { rows: rule } = modelState(request);
  const ids = items.map(({ id }) => id);
  const bodies = items.map(({ id: _, ...body }) => body);
  if (writer.nameRelations(resource, bodies)) {
    return database.transaction(async (whole) => {
      const keys = await checkKeys(ids, whole, resource, idOfItem, rule);
      const changes = keys.map((where, index) => ({ where, body: bodies[index] ?? {}, at: [index] }));
      return permittedWrite(whole, resource, request, (inside) =>
        writer.writeEach(request, inside, resource, changes, select),
      );
    });
  }
  const rows = await writer.toData(resource, bodies);
  const update = () =>
    database.transaction(async (whole) => {
      const keys = await checkKeys(ids, whole, resource, idOfItem, rule);
      const changes = keys.map((where, index) => ({ where, data: rows[index] ?? {} }));
      return permittedWrite(whole, resource, request, (inside) =>
        inside.of(resource.model).updateEach({ changes, select }),
      );
    });
  return namingItems(update, { rows, keys: ids, at: [] }, database, resource);
}

async function updateMatching(
  body: Row,
  where: Where,
  { database, resource, writer }: OperationContext,
  request: Request,
): Promise<readonly Row[]> {
  const { select } = modelQuery(request);
  if (!writer.nameRelations(resource, [body])) {
    const [data = body] = await writer.toData(resource, [body]);
    return database.transaction(async (whole) => {
      const matching = await matchingRows(where, whole, resource);
      return permittedWrite(whole, resource, request, (inside) =>
        inside.of(resource.model).updateMany({ where: matching, data, select }),
      );
    });
  }
  return database.transaction(async (whole) => {
    await matchingRows(where, whole, resource);
    const { keySelect, keyOrder, model } = resource;
    const found = await whole.of(model).findMany({ where, select: keySelect, orderBy: keyOrder });
    const changes = found.map((row) => ({ body, at: [], where: keyOfRow(model, row) }));
    return permittedWrite(whole, resource, request, (inside) =>
      writer.writeEach(request, inside, resource, changes, select),
    );
  });
}
