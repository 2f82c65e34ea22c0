import { isHidden } from "./is-hidden.js";
import type { StoredField, UniqueKey } from "./model.js";
import type { ModelData } from "./models-data.js";

/** PostgreSQL truncates names at 63 bytes; Prisma truncates its own before the suffix. */
const longestName = 63;

/**
 * Every unique key of a model: the id first, and nullable ones last, because they do not identify every row. A key with
 * an unsupported column is excluded.
 */
export function readUniqueKeys(model: ModelData, fieldOf: (name: string) => StoredField | undefined): UniqueKey[] {
  const keys = model.keys.flatMap(({ kind, fields: names, name, constraint }) => {
    const fields = names.flatMap((field) => fieldOf(field) ?? []);
    const [only] = fields;
    if (only === undefined || fields.length < names.length) return [];
    const isSingle = fields.length === 1;
    return Object.freeze({
      name: isSingle ? only.name : (name ?? names.join("_")),
      fields: Object.freeze(fields),
      constraint: constraint ?? constraintName(model.table ?? model.name, kind === "id" ? [] : fields),
    });
  });
  return [...keys.filter(isRequired), ...keys.filter((key) => !isRequired(key))];
}

const isRequired = ({ fields }: UniqueKey): boolean => fields.every((field) => field.isRequired);

/**
 * The key of `:id` (contract C7): the id, otherwise the first unique field, otherwise the first unique set of fields.
 */
export function chooseKey(keys: readonly UniqueKey[], hasId: boolean): UniqueKey | undefined {
  const usable = keys.filter((key) => isRequired(key) && !key.fields.some(isHidden));
  if (hasId && usable[0] !== undefined && usable[0] === keys[0]) return usable[0];
  return usable.find(({ fields }) => fields.length === 1) ?? usable[0];
}

function constraintName(table: string, fields: readonly StoredField[]): string {
  const suffix = fields.length === 0 ? "_pkey" : "_key";
  const name = [table, ...fields.map((field) => field.column)].join("_");
  return (
    Buffer.from(name)
      .subarray(0, longestName - suffix.length)
      .toString() + suffix
  );
}
