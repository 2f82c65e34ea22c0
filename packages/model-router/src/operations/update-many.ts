import type { Database } from "@servicekit/orm";
import { modelErrors } from "../errors.js";
import type { Where } from "../filter/where.js";
import { modelLocals, modelQuery } from "../pipeline/model-request.js";
import type { Resource } from "../resource.js";
import type { KeyWhere } from "../resource-key.js";
import type { Row } from "../values/to-json.js";
import { checkKeys, idOfItem } from "./bulk-keys.js";
import type { RunOperation } from "./run-operation.js";

type Item = { readonly id: KeyWhere | null } & Row;
type Select = Readonly<Record<string, unknown>>;

/** Changes many rows, all or none: each its own way, or all that meet a filter in the same way (contract C14). */
export const updateMany: RunOperation = async ({ database, resource }, request, response) => {
  const { where, select } = modelQuery(request);
  const body = request.body as readonly Item[] | Row;
  const rows = await database.transaction((inside) =>
    Array.isArray(body)
      ? updateEach(body as readonly Item[], inside, resource, select)
      : updateMatching(body as Row, where, inside, resource, select),
  );
  const locals = modelLocals(response);
  locals.data = rows;
  locals.meta = { count: rows.length };
};

async function updateEach(
  items: readonly Item[],
  database: Database,
  resource: Resource,
  select: Select,
): Promise<Row[]> {
  if (items.length === 0) return [];
  const keys = await checkKeys(
    items.map(({ id }) => id),
    database,
    resource,
    idOfItem,
  );
  const delegate = database.of(resource.model);
  const rows: Row[] = [];
  for (const [index, { id: _, ...data }] of items.entries()) {
    rows.push(await delegate.update({ where: keys[index] ?? {}, data, select }));
  }
  return rows;
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
