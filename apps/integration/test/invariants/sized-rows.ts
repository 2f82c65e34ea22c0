import type { Model, Models, StoredField } from "@servicekit/prisma";
import pg from "pg";
import type { Values } from "./cases.js";
import { drawnModels } from "./fixtures.js";
import { keyFields, relationOf, storedFields } from "./rows.js";

/** The rows of each model that others reference, each as often. */
export const referencedRows = 10;

const digits = (index: number): string => String(index).padStart(6, "0");

/** A value of the row with a number. Values of greater numbers are greater. */
const values: Readonly<Record<string, (field: StoredField, index: number) => unknown>> = {
  String: ({ name, nativeType }, index) =>
    nativeType?.name === "Uuid" ? `00000000-0000-4000-8000-000000${digits(index)}` : `${name} "${digits(index)}"`,
  DateTime: (_, index) => new Date(1_700_000_000_000 + index * 1000).toISOString(),
  BigInt: (_, index) => String(index),
  Decimal: (_, index) => String(index),
  Boolean: () => true,
};

/** A value of a field in the row with a number; a foreign key is that of one of the first rows. */
export function valueAt(model: Model, field: StoredField, index: number, models: Models): unknown {
  const relation = relationOf(model, field.name);
  if (relation !== undefined) {
    const related = models.get(relation.type) as Model;
    const [name = ""] = relation.relation.references;
    return valueAt(related, related.fieldsByName.get(name) as StoredField, 1 + (index % referencedRows), models);
  }
  return values[field.type]?.(field, index) ?? index;
}

/** What a body of the row with a number contains: required fields. */
export const bodyAt = (model: Model, index: number, models: Models): Values =>
  valuesOf(
    model,
    index,
    models,
    ({ isRequired, hasDefault, isList, isUpdatedAt }) => isRequired && !hasDefault && !isList && !isUpdatedAt,
  );

const valuesOf = (model: Model, index: number, models: Models, isSet: (field: StoredField) => boolean): Values =>
  Object.fromEntries(
    storedFields(model)
      .filter(isSet)
      .map((field) => [field.name, valueAt(model, field, index, models)]),
  );

/** The key of the row with a number. */
export const keyAt = (model: Model, index: number, models: Models): Values =>
  Object.fromEntries(keyFields(model).map((field) => [field.name, valueAt(model, field, index, models)]));

/** Inserts rows of a model beside the service. */
export async function insertRows(
  url: string,
  model: Model,
  models: Models,
  range: { readonly from: number; readonly count: number },
): Promise<void> {
  const isSet = (field: StoredField): boolean =>
    field.isId || field.isUpdatedAt || (field.isRequired && !field.hasDefault && !field.isList);
  const fields = storedFields(model).filter(isSet);
  const rows = Array.from({ length: range.count }, (_, offset) => {
    const row = valuesOf(model, range.from + offset, models, isSet);
    return Object.fromEntries(fields.map(({ name, column }) => [column, row[name]]));
  });
  const columns = fields.map(({ column }) => `"${column}"`).join();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(
      `INSERT INTO "${model.table}" (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::"${model.table}", $1)`,
      [JSON.stringify(rows)],
    );
    await client.query(`ANALYZE "${model.table}"`);
  } finally {
    await client.end();
  }
}

/** Inserts the rows that others reference, and more of one model. */
export async function fillTables(url: string, models: Models, large: Model, count: number): Promise<void> {
  for (const model of drawnModels(models)) {
    await insertRows(url, model, models, { from: 1, count: model === large ? count : referencedRows });
  }
}
