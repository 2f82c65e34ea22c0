import { createHash } from "node:crypto";
import type { Model, StoredField } from "../models/model.js";
import { quoteName, quoteTable } from "../models/quote-name.js";
import { type SearchFields, weightAt } from "../queries/text-search.js";
import { trigramsSql, vectorSql } from "./search-sql.js";

/** The name of the field with the text vector, in the Prisma schema. */
export const vectorField = "searchVector";

/** The lines that a model in the Prisma schema needs for full-text search. */
export const vectorLines = `${vectorField} Unsupported("tsvector")? @default(dbgenerated())
@@index([${vectorField}], type: Gin)`;

/** The fields of a model's search, with their weights. */
export function searchFields({ search, fieldsByName }: Model): SearchFields | undefined {
  if (search === undefined) return undefined;
  const { mode, language } = search;
  const fields = search.fields.flatMap((name, index) => {
    const field = fieldsByName.get(name);
    return field?.kind === "scalar" ? [{ field: field as StoredField, weight: weightAt(index) }] : [];
  });
  return { mode, language, fields };
}

/** The column with the text vector of a model, if its schema has one. */
export function vectorColumn({ search, fieldsByName }: Model): string | undefined {
  const field = fieldsByName.get(vectorField);
  return search?.mode === "fullText" && field?.kind === "unsupported" ? field.column : undefined;
}

/** What the search of a model needs in the database: a generated column for full text, an index for similar spellings. */
export type SearchStorage = {
  readonly model: string;
  readonly table: string;
  /** The database schema, if the Prisma schema sets one. */
  readonly schema: string | undefined;
} & (
  | {
      readonly kind: "column";
      /** `undefined` if the Prisma schema does not have the field. */
      readonly column: string | undefined;
      readonly expression: string;
      /** The comment of the column: another definition has another one. */
      readonly comment: string;
    }
  | { readonly kind: "index"; readonly name: string; readonly sql: string }
);

/** What the search of a model needs in the database. */
export function searchStorage(model: Model): SearchStorage | undefined {
  const search = searchFields(model);
  if (search === undefined) return undefined;
  const { table, schema } = model;
  const place = { model: model.name, table, schema };
  if (search.mode === "fullText") {
    const expression = vectorSql(search, quoteName);
    return {
      ...place,
      kind: "column",
      column: vectorColumn(model),
      expression,
      comment: `search ${digestOf(expression)}`,
    };
  }
  const expressions = trigramsSql(search, quoteName);
  // An index of expressions, which Prisma Migrate ignores.
  const name = `${table.replaceAll(/\W/g, "_").slice(0, 40)}_search_${digestOf(expressions)}`;
  const sql = `CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX ${quoteName(name)} ON ${quoteTable(model, schema)} USING GIN (${expressions});`;
  return { ...place, kind: "index", name, sql };
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);
