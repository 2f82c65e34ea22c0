import { isPlainObject } from "@servicekit/core/internal";
import type { Field, Model, Models, RelationField } from "@servicekit/prisma";
import { isHidden, withExactNumbers } from "@servicekit/prisma/internal";
import { toJsonText } from "@servicekit/router/internal";
import type { Select } from "../resource/shown.js";
import { withFormulaGuard } from "../resource/values/formula-guard.js";
import type { Row } from "../resource/values/to-json.js";

/** A column of a CSV file. */
export interface Column {
  /** The path of its values in a row, through to-one relations: `["category", "name"]`. */
  readonly path: readonly string[];
  /** How its values are written: texts of users may look like formulas. */
  readonly kind: "text" | "json" | "value";
}

/**
 * The columns of a file: the selected fields, those of included to-one relations after them, and what a hook has added to
 * the first rows.
 *
 * @param select Prisma's `select` of the rows
 * @param isShown whether the rows still have a field of it
 * @param rows the first rows, as a response contains them
 */
export function columnsOf(
  select: Select,
  isShown: (name: string) => boolean,
  model: Model,
  models: Models,
  rows: readonly Row[],
): readonly Column[] {
  const columns = selected(select, model, models, []).filter(({ path: [name = ""] }) => isShown(name));
  const known = new Set(columns.map(({ path: [first] }) => first));
  const added = new Set(rows.flatMap((row) => Object.keys(row).filter((name) => !known.has(name))));
  const more = [...added].map((name): Column => {
    const field = model.fieldsByName.get(name);
    return { path: [name], kind: field === undefined || field.kind === "relation" ? "text" : kindOf(field) };
  });
  return [...columns, ...more];
}

function kindOf(field: Exclude<Field, RelationField>): Column["kind"] {
  // A function may return a text of users.
  if (field.kind === "computed") return "text";
  if (field.kind === "unsupported" || field.isList || field.type === "Json") return "json";
  return field.kind === "scalar" && field.type === "String" ? "text" : "value";
}

function selected(select: Select, model: Model, models: Models, path: readonly string[]): readonly Column[] {
  const fields: Column[] = [];
  const related: Column[] = [];
  for (const [name, value] of Object.entries(select)) {
    const field = model.fieldsByName.get(name);
    if (field === undefined || value === false || isHidden(field)) continue;
    const here = [...path, name];
    const target = field.kind === "relation" ? models.get(field.type) : undefined;
    if (field.kind !== "relation") {
      fields.push({ path: here, kind: kindOf(field) });
    } else if (target !== undefined && isPlainObject(value) && isPlainObject(value.select)) {
      related.push(...selected(value.select, target, models, here));
    }
  }
  return [...fields, ...related];
}

/** The values of a row, in the order of the columns. */
export function cellsOf(row: Row, columns: readonly Column[]): readonly (string | null)[] {
  return columns.map(({ path, kind }) => {
    const value = path.reduce<unknown>((inner, name) => (isPlainObject(inner) ? inner[name] : undefined), row);
    return toCell(value, kind);
  });
}

/** The name of a column. */
export const columnName = ({ path }: Column): string => withFormulaGuard(path.join("."));

function toCell(value: unknown, kind: Column["kind"]): string | null {
  if (value === null || value === undefined) return null;
  if (kind === "json" || typeof value === "object") return withExactNumbers(toJsonText(value));
  if (typeof value !== "string") return String(value);
  return kind === "text" ? withFormulaGuard(value) : value;
}
