import type { Model, StoredField } from "../models/model.js";
import { quoteName } from "../models/quote-name.js";
import type { Clause } from "../queries/query-args.js";
import { dateTimeText } from "../values/moment.js";
import { isLongerThan } from "../values/text-length.js";
import { withoutEnd } from "../values/without-end.js";
import { toStoredValue } from "./stored-value.js";

/** The key fields of the model. */
export function keyFields(model: Model): readonly StoredField[] {
  if (model.key === undefined) throw new TypeError(`${model.name} has no key.`);
  return model.key.fields;
}

/** The key's values by field, from `{ id: 1 }` or `{ a_b: { a: 1, b: 2 } }`. */
export function keyValues(model: Model, where: Clause): Clause {
  const fields = keyFields(model);
  const values = fields.length === 1 ? where : (where[model.key?.name ?? ""] as Clause | undefined);
  if (values === undefined || !fields.every(({ name }) => Object.hasOwn(values, name))) {
    throw new TypeError(`This is not a key of ${model.name}.`);
  }
  return values;
}

/** Prisma's `where` of a row, by its key: `{ id: 1 }` or `{ a_b: { a: 1, b: 2 } }`. */
export function keyWhere(model: Model, row: Clause): Clause {
  const values = Object.fromEntries(keyFields(model).map(({ name }) => [name, row[name]]));
  return keyFields(model).length === 1 ? values : { [model.key?.name ?? ""]: values };
}

/** A text that is equal for equal values of these key fields. */
export const keyText = (fields: readonly StoredField[], values: Clause): string =>
  JSON.stringify(fields.map((field) => plainText(field, values[field.name])));

function plainText({ type, nativeType }: StoredField, value: unknown): string {
  if (value instanceof Date) return dateTimeText(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (nativeType?.name === "Char") return withoutEnd(String(value), " ");
  const isDecimal = typeof value === "object" && value !== null && "toFixed" in value;
  const text = isDecimal ? (value as { toFixed(): string }).toFixed() : String(value);
  return type === "Decimal" && /^-?\d+\.\d+$/.test(text) ? withoutEnd(withoutEnd(text, "0"), ".") : text;
}

/** Whether a row can have the key: see {@link isPossible}. */
export const isPossibleKey = (model: Model, key: Clause): boolean => isPossible(keyFields(model), key);

/** Whether a row can have the values: a text longer than its column belongs to no row, and PostgreSQL would reject it. */
export const isPossible = (fields: readonly StoredField[], row: Clause): boolean =>
  fields.every(({ name, nativeType }) => {
    const longest = nativeType !== undefined && /^(Var)?Char$/.test(nativeType.name) ? nativeType.args[0] : undefined;
    const value = row[name];
    return longest === undefined || typeof value !== "string" || !isLongerThan(value, Number(longest));
  });

/** The key by column, as the JSON for `json_populate_record`. */
export const storedKey = (model: Model, key: Clause): Clause => storedValues(keyFields(model), key);

/** The values of fields by column, as the JSON for `json_populate_record`. */
export const storedValues = (fields: readonly StoredField[], row: Clause): Clause =>
  Object.fromEntries(fields.map((field) => [field.column, toStoredValue(field, row[field.name])]));

/** SQL condition for the row of the table `t` with the key in the record `k`. */
export const isRowOfKey = (model: Model): string => isRowOf(keyFields(model));

/** SQL condition for the rows of the table `t` with the values of these fields in the record `k`. */
export const isRowOf = (fields: readonly StoredField[]): string =>
  fields.map(({ column }) => `t.${quoteName(column)} = k.${quoteName(column)}`).join(" AND ");

/** SQL that sorts rows of the table `t` by their key. */
export const keyOrder = (model: Model): string =>
  keyFields(model)
    .map(({ column }) => `t.${quoteName(column)}`)
    .join(", ");
