import type { Database } from "@servicekit/orm";
import { modelErrors } from "../errors.js";
import type { Where } from "../filter/where.js";
import { modelLocals, modelQuery } from "../pipeline/model-request.js";
import type { Resource } from "../resource.js";
import type { KeyWhere } from "../resource-key.js";
import type { Row } from "../values/to-json.js";
import { checkKeys, idOfItem } from "./bulk-keys.js";
import { namingItems } from "./name-items.js";
import type { RunOperation } from "./run-operation.js";

type Item = { readonly id: KeyWhere | null } & Row;
type Select = Readonly<Record<string, unknown>>;

/** Changes many rows, all or none: each its own way, or all that meet a filter in the same way (contract C14). */
export const updateMany: RunOperation = async ({ database, resource }, request, response) => {
  const { where, select } = modelQuery(request);
  const body = request.body as readonly Item[] | Row;
  const rows = Array.isArray(body)
    ? await updateEach(body as readonly Item[], database, resource, select)
    : await database.transaction((inside) => updateMatching(body as Row, where, inside, resource, select));
  const locals = modelLocals(response);
  locals.data = rows;
  locals.meta = { count: rows.length };
};

function updateEach(
  items: readonly Item[],
  database: Database,
  resource: Resource,
  select: Select,
): Promise<readonly Row[]> {
  const ids = items.map(({ id }) => id);
  const rows = items.map(({ id: _, ...data }) => data);
  const update = () =>
    database.transaction(async (inside) => {
      const keys = await checkKeys(ids, inside, resource, idOfItem);
      const changes = keys.map((where, index) => ({ where, data: rows[index] ?? {} }));
      return inside.of(resource.model).updateEach({ changes, select });
    });
  return namingItems(update, { rows, keys: ids, at: [] }, database, resource);
}

async function updateMatching(
  data: Row,
  where: Where,
  database: Database,
  resource: Resource,
  select: Select,
): Promise<readonly Row[]> {
  await checkMatchCount(where, database, resource);
  return database.of(resource.model).updateMany({ where, data, select });
}

/** @throws {HttpError} 413 when a filter matches more rows than one bulk request may change */
export async function checkMatchCount(where: Where, database: Database, resource: Resource): Promise<void> {
  const { bulkItems } = resource;
  const matched = await database.of(resource.model).count({ where, take: bulkItems + 1 });
  if (matched > bulkItems) {
    throw modelErrors.BulkTooLarge(`The filter matches more than ${bulkItems} rows; narrow it.`);
  }
}
