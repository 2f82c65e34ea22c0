import type { Database } from "@servicekit/prisma";
import { readWhere } from "@servicekit/prisma/internal";
import { modelErrors } from "../resource/errors.js";
import { goesThroughRelation } from "../resource/filter/goes-through-relation.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import { keyOfRow } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { keysWhere } from "./bulk-keys.js";

/** The rows of a bulk change by a filter. */
export interface MatchingRows {
  /** The condition of the change. */
  readonly where: Where;
  /** Their keys, in order. */
  readonly found: readonly Row[];
}

/**
 * Finds and locks the rows that a list with this filter contains (contract C14), in the order of their keys, like those
 * of a list.
 *
 * @throws {HttpError} 413 if the filter matches more rows than one bulk request may change
 */
export async function matchingRows(
  where: Where,
  database: Database,
  resource: Resource,
  options: { readonly forDelete?: boolean } = {},
): Promise<MatchingRows> {
  const { bulkItems, keyOrder, keySelect, model } = resource;
  const rows = database.of(model);
  const found = await rows.findMany({ where, select: keySelect, orderBy: keyOrder, take: bulkItems + 1 });
  if (found.length > bulkItems) throw tooMany(bulkItems);
  const keys = found.map((row) => keyOfRow(model, row));
  await rows.lockEach(keys, options);
  if (!goesThroughRelation(readWhere(where, model, database.models))) return { where, found };
  // Prisma reads relations with joins and writes with subqueries: if a related value is NULL, a negation would
  // change rows that the same filter does not find. If they are found first, no other row is changed.
  const named = keysWhere(resource, keys);
  return { where: allWhere([named, where]) ?? named, found };
}

function tooMany(max: number): Error {
  const message = `The filter matches more than ${max} rows. Narrow it.`;
  return modelErrors.BulkTooLarge(message, { errors: [{ in: "query", path: "", code: "BulkTooLarge", message }] });
}
