import type { Row } from "../api/shop.js";
import { type FieldInfo, labelField, type ModelInfo } from "./model-info.js";

/** A to-one relation that can be shown by the name of its row. */
export const isToOne = (field: FieldInfo): boolean => field.kind === "relation" && !field.list;

/** The possible columns: stored fields, and to-one relations whose model the visitor may read. */
export function possibleColumns(model: ModelInfo, models: readonly ModelInfo[]): readonly FieldInfo[] {
  return model.fields.filter(
    (field) =>
      field.kind !== "relation" ||
      (isToOne(field) && models.some(({ name, may }) => name === field.relation && may("findOne"))),
  );
}

const max = 8;
const heavy: ReadonlySet<string> = new Set(["json", "bytes"]);

/** The default columns: relations in place of their keys. */
export function firstColumns(model: ModelInfo, possible: readonly FieldInfo[]): readonly string[] {
  const keys = model.key;
  const label = labelField(model)?.name;
  const named = new Set(possible.map(({ name }) => name));
  const light = possible.filter(
    ({ kind, list, keyOf, references }) =>
      !heavy.has(kind) &&
      !list &&
      (kind !== "relation" || references !== undefined) &&
      (keyOf === undefined || !named.has(keyOf.name)),
  );
  // The label and the parents come first.
  const owners = light.filter(({ kind }) => kind === "relation").slice(0, 2);
  const rank = (field: FieldInfo): number =>
    keys.includes(field.name) || field.name === label ? 0 : owners.includes(field) ? 1 : 2;
  return [...(light.length > 0 ? light : possible)]
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, max)
    .map(({ name }) => name);
}

/** The requested fields and relations of a list, for its columns and for opening its rows. */
export function shapeOf(model: ModelInfo, columns: readonly FieldInfo[]) {
  const include = Object.fromEntries(columns.filter(isToOne).map(({ name }) => [name, true as const]));
  const stored = columns.filter((field) => !isToOne(field)).map(({ name }) => name);
  const fields = [...new Set([...model.key, ...stored])];
  return { ...(fields.length > 0 ? { fields } : {}), ...(Object.keys(include).length > 0 ? { include } : {}) };
}

/** A row inside another one, as in a to-one relation. */
export const rowIn = (row: Row, name: string): Row | null | undefined => row[name] as Row | null | undefined;
