import { httpErrors, type ValidationIssue } from "@servicekit/core";
import { toJsonPointer } from "@servicekit/core/internal";
import type { Database } from "@servicekit/prisma";
import { rowsWhere, writeKey } from "@servicekit/prisma/internal";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type KeyWhere, keyOfRow, keyText } from "../resource/key.js";
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

/** The place of an item's key in the body. */
export type KeyPointer = (index: number) => string;

/**
 * Checks that every item of a bulk request identifies a different, existing row.
 *
 * @param rule the accessible rows
 * @throws {HttpError} 404 that names each missing one, 400 for a duplicate (contract C14)
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
    // In the collation of its column, a different text may be the same key.
    found.push(own ?? (unnamed && key !== null ? await findKey(key, database, resource, rule) : undefined));
  }
  const missing = found.flatMap((key, index): ValidationIssue[] => {
    if (key !== undefined) return [];
    return [{ in: "body", path: pointer(index), code: "NotFound", message: "No row has this id." }];
  });
  if (missing.length > 0)
    throw httpErrors.NotFound("Some of these ids do not exist. Nothing was changed.", { errors: missing });
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
 * Checks that every item of a bulk request identifies a different row.
 *
 * @returns the keys as texts
 * @throws {HttpError} 400 for a duplicate (contract C14)
 */
export function checkDistinct(
  keys: readonly (KeyWhere | null)[],
  { model }: Resource,
  pointer: KeyPointer,
): readonly (string | undefined)[] {
  const texts = keys.map((key) => (key === null ? undefined : keyText(model, key)));
  const seen = new Set<string>();
  const twice = texts.flatMap((text, index): ValidationIssue[] => {
    if (text === undefined || !seen.has(text)) {
      if (text !== undefined) seen.add(text);
      return [];
    }
    return [{ in: "body", path: pointer(index), code: "Duplicate", message: "This id appears twice." }];
  });
  if (twice.length > 0) throw httpErrors.ValidationError("An id appears twice.", { errors: twice });
  return texts;
}

/** The place of an item's id in a list of `{ id, … }`. */
export const idOfItem: KeyPointer = (index) => toJsonPointer([index, "id"]);

/** The place of an id in `{ "ids": […] }`. */
export const idInList: KeyPointer = (index) => toJsonPointer(["ids", index]);
