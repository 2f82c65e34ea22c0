import type { Model, StoredField } from "../model.js";
import type { Clause } from "../query-args.js";
import { quoteName } from "../quote-name.js";
import { isLongerThan } from "../text-length.js";
import { toStoredValue } from "./stored-value.js";

/** The fields of the key that names a row of the model. */
export function keyFields(model: Model): readonly StoredField[] {
  if (model.key === undefined) throw new TypeError(`${model.name} has no key.`);
  return model.key.fields;
}

/** The key's values by field, from `{ id: 1 }` or `{ a_b: { a: 1, b: 2 } }`. */
export function keyValues(model: Model, where: Clause): Clause {
  const fields = keyFields(model);
  const values = fields.length === 1 ? where : (where[model.key?.name ?? ""] as Clause | undefined);
  if (values === undefined || !fields.every(({ name }) => Object.hasOwn(values, name))) {
    throw new TypeError(`This names no row of ${model.name} by its key.`);
  }
  return values;
}

/**
 * Whether a row may have the key: a text that is longer than its column is the key of none, and PostgreSQL would refuse to make it
 * the column's type.
 */
export const isPossibleKey = (model: Model, key: Clause): boolean =>
  keyFields(model).every(({ name, nativeType }) => {
    const longest = nativeType !== undefined && /^(Var)?Char$/.test(nativeType.name) ? nativeType.args[0] : undefined;
    const value = key[name];
    return longest === undefined || typeof value !== "string" || !isLongerThan(value, Number(longest));
  });

/** The key by column, as JSON carries it to `json_populate_record`. */
export const storedKey = (model: Model, key: Clause): Clause =>
  Object.fromEntries(keyFields(model).map((field) => [field.column, toStoredValue(field, key[field.name])]));

/** SQL that holds for the row of the table `t` whose key stands in the record `k`. */
export const isRowOfKey = (model: Model): string =>
  keyFields(model)
    .map(({ column }) => `t.${quoteName(column)} = k.${quoteName(column)}`)
    .join(" AND ");

/** SQL that sorts rows of the table `t` by their key. */
export const keyOrder = (model: Model): string =>
  keyFields(model)
    .map(({ column }) => `t.${quoteName(column)}`)
    .join(", ");
