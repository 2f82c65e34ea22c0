import type { StoredField } from "@servicekit/prisma";
import { allOf, anyOf, condition, type Filter, isSinglePrecision, toJsonField } from "@servicekit/prisma/internal";
import { QueryIssues } from "../filter/query-issues.js";
import type { Resource } from "../resource.js";
import type { SortKey } from "../sort-key.js";
import { readTextValue, type Scalar } from "../values/read-text-value.js";
import type { Row } from "../values/to-json.js";

/** The keys of a cursor: the sort keys, then those of the id. */
export type CursorKeys = readonly SortKey[];

/**
 * The keys of a cursor for this order (contract C8).
 *
 * @returns `undefined` if a cursor does not support the order: the error is added
 */
export function cursorKeys(sort: readonly SortKey[], resource: Resource, issues: QueryIssues): CursorKeys | undefined {
  const { key } = resource.model;
  if (key === undefined || !key.fields.every(({ name }) => resource.fields.has(name))) {
    issues.add("cursor", "InvalidValue", `${resource.model.name} has no id for a cursor.`);
    return undefined;
  }
  const named = new Set(sort.map(({ path }) => path.join(".")));
  const rest = key.fields.filter(({ name }) => !named.has(name));
  const keys = [...sort, ...rest.map((field) => ({ path: [field.name], field, direction: "asc" as const }))];
  const unsupported = keys.find((sortKey) => !isFollowable(sortKey, resource));
  if (unsupported === undefined) return keys;
  issues.add(
    "cursor",
    "InvalidValue",
    `A cursor does not support the order of ${unsupported.path.join(".")}. Use page instead.`,
  );
  return undefined;
}

/** A cursor compares stored values with the ones it contains: they must be sortable and exact. */
function isFollowable({ path, field }: SortKey, resource: Resource): boolean {
  if (field.kind === "scalar" && (field.expression !== undefined || field.isRounded)) return false;
  if (path.length !== 1 || resource.operators.get(field.name)?.includes("gt") !== true) return false;
  return !isSinglePrecision(field);
}

/** Longer ones would not fit into the URL. */
const maxCharacters = 4096;

/**
 * The cursor that continues after this row.
 *
 * @throws {HttpError} 400 if the row's values are too long
 */
export function writeCursor(keys: CursorKeys, row: Row): string {
  const values = keys.map(({ field }) => {
    const value = toJsonField(field, row[field.name]);
    return value === null || value === undefined ? null : String(value);
  });
  const cursor = Buffer.from(JSON.stringify([signature(keys), ...values])).toString("base64url");
  if (cursor.length <= maxCharacters) return cursor;
  const issues = new QueryIssues();
  issues.add(
    "cursor",
    "InvalidValue",
    "A cursor does not support this order, because the values are too long. Use page instead.",
  );
  throw issues.toError();
}

/** The filter that finds this row if one of these optional fields has a value. */
export function rowWithValue(fields: readonly StoredField[], row: Row, { model }: Resource): Filter {
  const id = model.key?.fields ?? [];
  return allOf([
    ...id.map((field) => isEqual(field, exactValue(field, row))),
    anyOf(fields.map((field) => condition(field, "isNull", false))),
  ]);
}

/**
 * The filter of the rows after this one, in the order of the keys.
 *
 * @throws {TypeError} for a row without a value of a key, which only a hook can cause
 */
export function rowsAfter(keys: CursorKeys, row: Row): Filter {
  const values = keys.map(({ field }) => exactValue(field, row));
  return comesAfter(keys, values);
}

function exactValue(field: StoredField, row: Row): Scalar | null {
  const value = toJsonField(field, row[field.name]);
  if (value === null && !field.isRequired) return null;
  const reading = readTextValue(field, String(value));
  if (value === undefined || value === null || !reading.ok)
    throw new TypeError(`The row has no value of ${field.name}, by which it is sorted.`);
  return reading.value;
}

/**
 * Reads a cursor into the filter "comes after", in the order of its keys.
 *
 * @returns `undefined` if the text is not a cursor of this order: the error is added
 */
export function readCursor(text: string, keys: CursorKeys, issues: QueryIssues): Filter | undefined {
  const values = decode(text, keys);
  if (values !== undefined) return comesAfter(keys, values);
  issues.add("cursor", "InvalidValue", "cursor must be meta.nextCursor of a list with the same sort.");
  return undefined;
}

function decode(text: string, keys: CursorKeys): (Scalar | null)[] | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== keys.length + 1 || parts[0] !== signature(keys)) return undefined;
  const values: (Scalar | null)[] = [];
  for (const [index, { field }] of keys.entries()) {
    const part: unknown = parts[index + 1];
    if (part === null && !field.isRequired) {
      values.push(null);
      continue;
    }
    const reading = typeof part === "string" ? readTextValue(field, part) : undefined;
    if (reading?.ok !== true) return undefined;
    values.push(reading.value);
  }
  return values;
}

const signature = (keys: CursorKeys): string =>
  keys.map(({ path, direction }) => `${direction === "desc" ? "-" : ""}${path.join(".")}`).join(",");

/** Equal in the first keys and after in the next, for each key in turn. */
function comesAfter(keys: CursorKeys, values: readonly (Scalar | null)[]): Filter {
  return anyOf(
    keys.flatMap((key, index): Filter[] => {
      const after = isAfter(key, values[index] ?? null);
      if (after === undefined) return [];
      const equal = keys.slice(0, index).map(({ field }, place) => isEqual(field, values[place] ?? null));
      return [allOf([...equal, after])];
    }),
  );
}

const isEqual = (field: StoredField, value: Scalar | null): Filter =>
  value === null ? condition(field, "isNull", true) : condition(field, "equals", value);

/** PostgreSQL puts nulls last in ascending order and first in descending order. */
function isAfter({ field, direction }: SortKey, value: Scalar | null): Filter | undefined {
  if (direction === "desc") return value === null ? condition(field, "isNull", false) : condition(field, "lt", value);
  if (value === null) return undefined;
  const greater = condition(field, "gt", value);
  return field.isRequired ? greater : anyOf([greater, condition(field, "isNull", true)]);
}
