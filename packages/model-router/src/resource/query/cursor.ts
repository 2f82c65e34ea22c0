import type { StoredField } from "@servicekit/prisma";
import { allOf, anyOf, condition, type Filter, toJsonField } from "@servicekit/prisma/internal";
import { QueryFaults } from "../filter/query-faults.js";
import type { Resource } from "../resource.js";
import type { SortKey } from "../sort-key.js";
import { readTextValue, type Scalar } from "../values/read-text-value.js";
import type { Row } from "../values/to-json.js";

/** The keys that a cursor walks along: the sort keys, then those of the id. */
export type CursorKeys = readonly SortKey[];

/**
 * The keys of a cursor for this order (contract C8).
 *
 * @returns `undefined` when a cursor cannot follow the order: the fault is noted
 */
export function cursorKeys(sort: readonly SortKey[], resource: Resource, faults: QueryFaults): CursorKeys | undefined {
  const { key } = resource.model;
  if (key === undefined || !key.fields.every(({ name }) => resource.fields.has(name))) {
    faults.add("cursor", "InvalidValue", `${resource.model.name} has no id that a cursor could follow.`);
    return undefined;
  }
  const named = new Set(sort.map(({ path }) => path.join(".")));
  const rest = key.fields.filter(({ name }) => !named.has(name));
  const keys = [...sort, ...rest.map((field) => ({ path: [field.name], field, direction: "asc" as const }))];
  const stuck = keys.find((sortKey) => !isFollowable(sortKey, resource));
  if (stuck === undefined) return keys;
  faults.add(
    "cursor",
    "InvalidValue",
    `A cursor cannot follow the order of ${stuck.path.join(".")}; use page instead.`,
  );
  return undefined;
}

/** A cursor compares stored values with those it remembers: they must have an order, and be remembered exactly. */
function isFollowable({ path, field }: SortKey, resource: Resource): boolean {
  const { nativeType } = field;
  if (path.length !== 1 || resource.operators.get(field.name)?.includes("gt") !== true) return false;
  return nativeType?.name !== "Real";
}

/** Longer ones would not fit into the URL that they are sent back in. */
const mostCharacters = 4096;

/**
 * The cursor that continues after this row.
 *
 * @throws {HttpError} 400 when the row's values are too long to be remembered
 */
export function writeCursor(keys: CursorKeys, row: Row): string {
  const values = keys.map(({ field }) => {
    const value = toJsonField(field, row[field.name]);
    return value === null || value === undefined ? null : String(value);
  });
  const cursor = Buffer.from(JSON.stringify([signature(keys), ...values])).toString("base64url");
  if (cursor.length <= mostCharacters) return cursor;
  const faults = new QueryFaults();
  faults.add("cursor", "InvalidValue", "A cursor cannot follow this order: the values are too long; use page instead.");
  throw faults.toError();
}

/**
 * Reads a cursor into the filter "comes after", in the order of its keys.
 *
 * @returns `undefined` when the text is no cursor of this order: the fault is noted
 */
export function readCursor(text: string, keys: CursorKeys, faults: QueryFaults): Filter | undefined {
  const values = decode(text, keys);
  if (values !== undefined) return comesAfter(keys, values);
  faults.add("cursor", "InvalidValue", "cursor takes meta.nextCursor of a list with the same sort.");
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
