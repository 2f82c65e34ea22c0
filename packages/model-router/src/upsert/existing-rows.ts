import type { Database, UniqueKey } from "@servicekit/prisma";
import { writeKey } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { reachableWhere } from "../access/request-access.js";
import { keysWhere } from "../operations/bulk-keys.js";
import { findRows, selectOf, valuesText } from "../operations/find-rows.js";
import { allWhere } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";

/** The items of a bulk upsert, by their indexes. */
export interface Existing {
  /** The existing rows that the caller may update. */
  readonly found: ReadonlyMap<number, KeyWhere>;
  /**
   * Without a row, or with one that does not exist for the caller: then the database rejects the new one, like that of
   * any other create.
   */
  readonly missing: readonly number[];
  /** Whether a missing one has such a row. */
  readonly isTaken: boolean;
}

/** Finds the rows with the values of a unique key. */
export async function findExisting(
  items: readonly Row[],
  { fields }: UniqueKey,
  request: Request,
  resource: Resource,
  database: Database,
): Promise<Existing> {
  const { model, keySelect } = resource;
  const present = await findRows(fields, items, database, model.name, { ...keySelect, ...selectOf(fields) });
  const rule = present.length === 0 ? undefined : await reachableWhere(request, resource, "updateMany");
  const reachable = rule === undefined ? present : await reachableRows(present);
  const keys = new Map(reachable.map((row) => [valuesText(fields, row), keyOfRow(model, row)]));
  const found = new Map<number, KeyWhere>();
  const missing: number[] = [];
  for (const [index, item] of items.entries()) {
    const key = keys.get(valuesText(fields, item));
    if (key === undefined) missing.push(index);
    else found.set(index, key);
  }
  return { found, missing, isTaken: reachable.length < present.length };

  async function reachableRows(rows: readonly Row[]): Promise<readonly Row[]> {
    const named = keysWhere(
      resource,
      rows.map((row) => keyOfRow(model, row)),
    );
    const where = allWhere([rule, named]) ?? {};
    const texts = new Set(
      (await database.of(model).findMany({ where, select: keySelect })).map((row) => writeKey(model, row)),
    );
    return rows.filter((row) => texts.has(writeKey(model, row)));
  }
}
