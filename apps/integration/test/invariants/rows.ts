import type { Model, Models, RelationField, StoredField } from "@servicekit/prisma";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import type { DrawnRow, Values } from "./cases.js";
import { drawnModels } from "./fixtures.js";
import { makeValues } from "./values.js";

export const storedFields = ({ fields }: Model): readonly StoredField[] =>
  fields.filter((field): field is StoredField => field.kind === "scalar" || field.kind === "enum");

export const relationFields = ({ fields }: Model, models: Models): readonly RelationField[] =>
  fields.filter((field): field is RelationField => field.kind === "relation" && models.has(field.type));

/** Whether new rows need a value. */
export const isRequiredIn = (field: StoredField): boolean => field.isRequired && !field.hasDefault && !field.isList;

/** The relation that a foreign key stores. */
export const relationOf = (model: Model, name: string): RelationField | undefined =>
  model.fields.find(
    (field): field is RelationField => field.kind === "relation" && field.relation.fields.includes(name),
  );

/** Whether both sides of a relation are lists. */
export function isManyToMany(field: RelationField, models: Models): boolean {
  const opposite = models.get(field.type)?.fieldsByName.get(field.relation.opposite ?? "");
  return field.isList && opposite?.kind === "relation" && opposite.isList;
}

export const keyFields = ({ key }: Model): readonly StoredField[] => key?.fields ?? [];

export const keyOf = (model: Model, values: Values): Values =>
  Object.fromEntries(keyFields(model).map(({ name }) => [name, values[name]]));

/** A key as in a path. */
export const keyText = (model: Model, values: Values): string =>
  keyFields(model)
    .map(({ name }) => encodeURIComponent(String(values[name])))
    .join(",");

/** Draws rows of all models, with references between them; some are deleted. */
export function drawRows(draw: Draw, provider: TestedProvider, models: Models, count = 4): readonly DrawnRow[] {
  const { value } = makeValues(draw, provider);
  const rows: DrawnRow[] = [];
  const uniques = new Set<string>();
  for (const model of drawnModels(models)) {
    for (let index = 0; index < 1 + draw.below(count); index++) {
      const values = drawRow(draw, model, rows, value, index + 1);
      const keys = uniqueTexts(model, values);
      if (values === undefined || keys.some((text) => uniques.has(text))) continue;
      for (const text of keys) uniques.add(text);
      rows.push({ model: model.name, values, ...drawLinks(draw, model, models, rows) });
    }
  }
  return rows;
}

function drawLinks(draw: Draw, model: Model, models: Models, rows: readonly DrawnRow[]): Pick<DrawnRow, "links"> {
  const entries = relationFields(model, models).flatMap((field) => {
    if (!isManyToMany(field, models)) return [];
    const related = models.get(field.type) as Model;
    const others = rows.filter((row) => row.model === field.type && draw.chance(0.5));
    return others.length === 0 ? [] : [[field.name, others.map((row) => keyOf(related, row.values))] as const];
  });
  return entries.length === 0 ? {} : { links: Object.fromEntries(entries) };
}

function drawRow(
  draw: Draw,
  model: Model,
  rows: readonly DrawnRow[],
  value: (field: StoredField) => unknown,
  id: number,
): Values | undefined {
  const entries: (readonly [string, unknown])[] = [];
  for (const field of storedFields(model)) {
    if (field.isUpdatedAt) continue;
    if (field.isId && field.hasDefault) entries.push([field.name, id]);
    else if (field.name === "deletedAt") {
      if (draw.chance(0.25)) entries.push([field.name, "2024-01-02T03:04:05.678Z"]);
    } else if (field.isForeignKey) {
      const reference = drawReference(draw, model, field, rows);
      if (reference === undefined) return undefined;
      entries.push([field.name, reference]);
    } else entries.push([field.name, value(field)]);
  }
  return Object.fromEntries(entries);
}

/** A key of a row of the related model; `undefined` if there is none for a required field. */
export function drawReference(draw: Draw, model: Model, field: StoredField, rows: readonly DrawnRow[]): unknown {
  const relation = relationOf(model, field.name);
  const at = relation?.relation.fields.indexOf(field.name) ?? 0;
  const name = relation?.relation.references[at] ?? "id";
  const keys = rows.filter((row) => row.model === relation?.type).map((row) => row.values[name]);
  if (!field.isRequired && (keys.length === 0 || draw.chance(0.25))) return null;
  return keys.length === 0 ? undefined : draw.pick(keys);
}

/** The values that the database allows once. Other spellings of a text or an address are equal to the database too. */
const uniqueTexts = (model: Model, values: Values | undefined): readonly string[] =>
  values === undefined
    ? []
    : model.uniqueKeys.flatMap(({ constraint, fields }) => {
        const parts = fields.map(({ name }) => values[name]);
        return parts.some((part) => part === null || part === undefined)
          ? []
          : [`${constraint} ${JSON.stringify(parts).toLowerCase().normalize("NFKC").replaceAll("/32", "")}`];
      });
