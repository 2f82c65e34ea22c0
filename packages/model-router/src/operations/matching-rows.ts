import type { Database } from "@servicekit/orm";
import type { Resource } from "@servicekit/resource";
import { allWhere, goesThroughRelation, keyOfRow, modelErrors, readWhere, type Where } from "@servicekit/resource";
import { keysWhere } from "./bulk-keys.js";

/**
 * The condition that a bulk change by a filter is made with: it means the rows that a list with this filter shows
 * (contract C14).
 *
 * @throws {HttpError} 413 when the filter matches more rows than one bulk request may change
 */
export async function matchingRows(where: Where, database: Database, resource: Resource): Promise<Where> {
  const { bulkItems, keySelect, model } = resource;
  const rows = database.of(model);
  const take = bulkItems + 1;
  if (!goesThroughRelation(readWhere(where, model, database.models))) {
    if ((await rows.count({ where, take })) > bulkItems) throw tooMany(bulkItems);
    return where;
  }
  // Prisma reads relations with joins and writes with subqueries: where a related value is NULL, a negation would
  // change rows that the same filter does not find. Found first, no other row is changed.
  const found = await rows.findMany({ where, select: keySelect, take });
  if (found.length > bulkItems) throw tooMany(bulkItems);
  const keys = keysWhere(
    resource,
    found.map((row) => keyOfRow(model, row)),
  );
  return allWhere([keys, where]) ?? keys;
}

const tooMany = (most: number): Error =>
  modelErrors.BulkTooLarge(`The filter matches more than ${most} rows; narrow it.`);
