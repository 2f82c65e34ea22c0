import type { Database, Delegate, StoredField, UniqueKey } from "@servicekit/prisma";
import { writeKey } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { reachableWhere } from "../access/request-access.js";
import { keysWhere } from "../operations/bulk-keys.js";
import { findRows, keyOnly, selectOf, valuesText } from "../operations/find-rows.js";
import { allWhere } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import type { Row } from "../resource/values/to-json.js";
import { checkDifferent, type ItemPlace } from "./upsert-items.js";

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
  /** The keys of all rows, as a text that differs if another request has changed them. */
  readonly state: string;
}

/**
 * Finds the rows with the values of a unique key. The database compares the values: an item may spell them differently.
 *
 * @param place names the items that mean the same row in an error
 * @throws {HttpError} 400 if two items mean the same row
 */
export async function findExisting(
  items: readonly Row[],
  { fields }: UniqueKey,
  place: ItemPlace,
  request: Request,
  resource: Resource,
  database: Database,
): Promise<Existing> {
  const { model, keySelect } = resource;
  const present = await findRows(fields, items, database, model.name, { ...keySelect, ...selectOf(fields) });
  const rule = present.length === 0 ? undefined : await reachableWhere(request, resource, "updateMany");
  const reachable = rule === undefined ? present : await reachableRows(present);
  const rowOfItem = await matchRows(items, reachable, fields, database.of(model));
  checkDifferent(
    items.map((_item, index) => rowOfItem.get(index)),
    place,
  );
  const found = new Map([...rowOfItem].map(([index, row]) => [index, keyOfRow(model, row)]));
  const missing = [...items.keys()].filter((index) => !found.has(index));
  const texts = new Set(reachable.map((row) => writeKey(model, row)));
  const state = present.map((row) => `${writeKey(model, row)} ${texts.has(writeKey(model, row))}`).toSorted();
  return { found, missing, isTaken: reachable.length < present.length, state: JSON.stringify(state) };

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

/** The rows of items, by the indexes of the items. */
async function matchRows(
  items: readonly Row[],
  rows: readonly Row[],
  fields: readonly StoredField[],
  delegate: Delegate,
): Promise<ReadonlyMap<number, Row>> {
  const byText = new Map(rows.map((row) => [valuesText(fields, row), row]));
  const matches = new Map<number, Row>();
  for (const [index, item] of items.entries()) {
    const row = byText.get(valuesText(fields, item));
    if (row !== undefined) matches.set(index, row);
  }
  const matched = new Set(matches.values());
  const others = rows.filter((row) => !matched.has(row));
  if (others.length === 0) return matches;
  // An item may also spell the key of a row that another item names as it is stored.
  const groups = await delegate.groupEqual([...rows, ...items].map((row) => keyOnly(fields, row)));
  for (const index of items.keys()) {
    const row = rows[groups[rows.length + index] ?? rows.length];
    if (row !== undefined) matches.set(index, row);
  }
  return matches;
}
