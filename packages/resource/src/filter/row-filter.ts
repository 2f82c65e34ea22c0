import { isPlainObject } from "@servicekit/field-path";
import type { Model, Models } from "@servicekit/orm";
import type { Where } from "./where.js";

/**
 * The filter of a row rule, with nothing in it that the ORM would take for every row: an `OR` without members meets no
 * row, also inside an `AND`, where the ORM would forget it.
 *
 * @throws {TypeError} for `undefined` and for empty conditions: a mistake of the rule, which must not open anything
 */
export function readRowFilter(filter: unknown, model: Model, models: Models): Where {
  const fail = (what: string): TypeError =>
    new TypeError(`The row rule of ${model.name} gave ${what}: say true for all rows, or false for none.`);
  if (!isPlainObject(filter)) throw fail("no filter");
  return readGroup(filter, model, { models, fail });
}

interface Reading {
  readonly models: Models;
  fail(what: string): TypeError;
}

function readGroup(filter: Where, model: Model, reading: Reading): Where {
  const entries = Object.entries(filter);
  if (entries.length === 0) throw reading.fail("an empty filter");
  return Object.fromEntries(entries.map(([key, value]) => [key, readEntry(key, value, model, reading)]));
}

function readEntry(key: string, value: unknown, model: Model, reading: Reading): unknown {
  if (value === undefined) throw reading.fail(`undefined for ${key}`);
  if (key === "OR" && Array.isArray(value) && value.length === 0) return [noRow(model)];
  if (key === "AND" || key === "OR" || key === "NOT") {
    if (isPlainObject(value)) return readGroup(value, model, reading);
    if (!Array.isArray(value) || value.length === 0) throw reading.fail(`nothing for ${key}`);
    return value.map((member: unknown) => {
      if (!isPlainObject(member)) throw reading.fail(`no filter in ${key}`);
      return readGroup(member, model, reading);
    });
  }
  const field = model.fieldsByName.get(key);
  const related = field?.kind === "relation" ? reading.models.get(field.type) : undefined;
  if (related !== undefined && isPlainObject(value)) return readRelated(value, related, reading);
  checkDefined(value, key, reading);
  if (isPlainObject(value) && Object.keys(value).length === 0) throw reading.fail(`nothing for ${key}`);
  return value;
}

const relationWords: ReadonlySet<string> = new Set(["some", "every", "none", "is", "isNot"]);

/** `{}` is a condition here: that there is a related row. */
function readRelated(value: Where, related: Model, reading: Reading): Where {
  const entries = Object.entries(value);
  if (!entries.every(([word]) => relationWords.has(word))) return readGroup(value, related, reading);
  return Object.fromEntries(
    entries.map(([word, inner]) => {
      if (inner === undefined) throw reading.fail(`undefined for ${word}`);
      return [word, isPlainObject(inner) && Object.keys(inner).length > 0 ? readGroup(inner, related, reading) : inner];
    }),
  );
}

function checkDefined(value: unknown, key: string, reading: Reading): void {
  if (value === undefined) throw reading.fail(`undefined in ${key}`);
  if (Array.isArray(value)) for (const item of value) checkDefined(item, key, reading);
  else if (isPlainObject(value)) for (const inner of Object.values(value)) checkDefined(inner, key, reading);
}

/** A filter that meets no row. `{ OR: [] }` is none: inside an `AND` the ORM forgets it. */
export function noRow(model: Model): Where {
  const [field] = model.uniqueKeys[0]?.fields ?? [];
  const name = field?.name ?? model.fields.find(({ kind, isList }) => kind === "scalar" && !isList)?.name;
  if (name === undefined) throw new TypeError(`${model.name} has no field that a filter could name.`);
  return { [name]: { in: [] } };
}
