import { type Model, type StoredField, type UniqueKey } from "@servicekit/prisma";
import { fieldRule, isLongerThan, writeKey } from "@servicekit/prisma/internal";
import { readTextValue, type Scalar } from "./values/read-text-value.js";
import type { Row } from "./values/to-json.js";

/** A unique key whose values bodies contain, except those that the service sets. */
export interface SettableKey {
  readonly key: UniqueKey;
  /** The names of the fields in bodies. */
  readonly names: readonly string[];
}

/** Prisma's `where` for one row: `{ id: 1 }`, or `{ playlistId_trackId: { playlistId: 1, trackId: 2 } }`. */
export type KeyWhere = Readonly<Record<string, Scalar | Readonly<Record<string, Scalar>>>>;

/**
 * Parses a raw (still percent-encoded) path segment as the key of a model; the parts of a compound key are separated by
 * commas (contract C7).
 *
 * @returns `undefined` if the text cannot be a key: no row has it
 */
export function readKey(model: Model, segment: string): KeyWhere | undefined {
  const { key } = model;
  if (key === undefined) return undefined;
  const parts = key.fields.length === 1 ? [segment] : segment.split(",");
  if (parts.length !== key.fields.length) return undefined;
  const values: Record<string, Scalar> = {};
  for (const [index, field] of key.fields.entries()) {
    const text = decode(parts[index] ?? "");
    if (text === undefined || isTooLong(field, text)) return undefined;
    const reading = readTextValue(field, text);
    if (!reading.ok) return undefined;
    values[field.name] = reading.value;
  }
  return keyWhere(model, values);
}

/** Whether a text is longer than the column: no row has it, so it is not queried. */
function isTooLong(field: StoredField, text: string): boolean {
  const rule = fieldRule(field);
  return rule.kind === "text" && rule.maxCharacters !== undefined && isLongerThan(text, rule.maxCharacters);
}

/** Prisma's `where` for the row with these key values. */
export function keyWhere(model: Model, values: Readonly<Record<string, Scalar>>): KeyWhere {
  const { key } = model;
  if (key === undefined) throw new TypeError(`The model ${model.name} has no key.`);
  return key.fields.length === 1 ? values : { [key.name]: values };
}

/** The values of a key by the names of its fields. */
export function keyValues({ key }: Model, where: KeyWhere): Readonly<Record<string, Scalar>> {
  if (key === undefined) return {};
  return (key.fields.length === 1 ? where : where[key.name]) as Readonly<Record<string, Scalar>>;
}

/** Prisma's `where` for a row that was read with its key. */
export function keyOfRow(model: Model, row: Row): KeyWhere {
  const names = (model.key?.fields ?? []).map(({ name }) => name);
  return keyWhere(model, Object.fromEntries(names.map((name) => [name, row[name] as Scalar])));
}

/** The same name for the same row, however its key was written. */
export function keyText(model: Model, where: KeyWhere): string {
  return model.key === undefined ? "" : writeKey(model, keyValues(model, where));
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
