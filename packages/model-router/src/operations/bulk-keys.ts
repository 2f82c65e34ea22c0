import { type FieldFault, httpErrors } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { rowsWhere } from "@servicekit/prisma/internal";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow, keyText, writeKey } from "../resource/key.js";
import type { Resource } from "../resource/resource.js";
import { type Row } from "../resource/values/to-json.js";

/** The rows with these keys. */
export function keysWhere({ model: { key, name } }: Resource, keys: readonly KeyWhere[]): Where {
  if (key === undefined) throw new TypeError(`${name} has no key.`);
  const rows = key.fields.length === 1 ? keys : keys.map((where) => where[key.name] as Row);
  return rowsWhere(
    key.fields.map((field) => field.name),
    rows,
  );
}

/** Where in the body the key of an item stands. */
export type KeyPointer = (index: number) => string;

/**
 * Checks that every item of a bulk request names another row that exists.
 *
 * @param rule the rows that there are for the caller
 * @throws {HttpError} 404 that names each missing one, 400 for one that comes twice (contract C14)
 */
export async function checkKeys(
  keys: readonly (KeyWhere | null)[],
  database: Database,
  resource: Resource,
  pointer: KeyPointer,
  rule?: Where,
): Promise<KeyWhere[]> {
  const { model } = resource;
  const wanted = keys.filter((key) => key !== null);
  const texts = checkDistinct(keys, resource, pointer);
  const where = allWhere([rule, keysWhere(resource, wanted)]) ?? {};
  const rows = await database.of(model).findMany({ where, select: resource.keySelect });
  if (rows.length === keys.length) return wanted;
  const present = new Map(rows.map((row) => [writeKey(model, row), keyOfRow(model, row)]));
  const unnamed = rows.some((row) => !texts.includes(writeKey(model, row)));
  const found: (KeyWhere | undefined)[] = [];
  for (const [index, key] of keys.entries()) {
    const text = texts[index];
    const own = text === undefined ? undefined : present.get(text);
    // In the collation of its column another text may be the same key.
    found.push(own ?? (unnamed && key !== null ? await findKey(key, database, resource, rule) : undefined));
  }
  const missing = found.flatMap((key, index): FieldFault[] => {
    if (key !== undefined) return [];
    return [{ in: "body", path: pointer(index), code: "NotFound", message: "No row has this id." }];
  });
  if (missing.length > 0)
    throw httpErrors.NotFound("Some of these ids do not exist; nothing was changed.", { errors: missing });
  const named = found.filter((key) => key !== undefined);
  checkDistinct(named, resource, pointer);
  return named;
}

async function findKey(
  key: KeyWhere,
  database: Database,
  resource: Resource,
  rule: Where | undefined,
): Promise<KeyWhere | undefined> {
  const where = allWhere([rule, keysWhere(resource, [key])]) ?? {};
  const row = await database.of(resource.model).findFirst({ where, select: resource.keySelect });
  return row === null ? undefined : keyOfRow(resource.model, row);
}

/**
 * Checks that every item of a bulk request names another row.
 *
 * @returns the keys as texts
 * @throws {HttpError} 400 for one that comes twice (contract C14)
 */
export function checkDistinct(
  keys: readonly (KeyWhere | null)[],
  { model }: Resource,
  pointer: KeyPointer,
): readonly (string | undefined)[] {
  const texts = keys.map((key) => (key === null ? undefined : keyText(model, key)));
  const seen = new Set<string>();
  const twice = texts.flatMap((text, index): FieldFault[] => {
    if (text === undefined || !seen.has(text)) {
      if (text !== undefined) seen.add(text);
      return [];
    }
    return [{ in: "body", path: pointer(index), code: "Duplicate", message: "This id comes twice." }];
  });
  if (twice.length > 0) throw httpErrors.ValidationError("An id comes twice.", { errors: twice });
  return texts;
}

/** The place of the id of an item in a list of `{ id, … }`. */
export const idOfItem: KeyPointer = (index) => toJsonPointer([index, "id"]);

/** The place of an id in `{ "ids": […] }`. */
export const idInList: KeyPointer = (index) => toJsonPointer(["ids", index]);
