import { type Model, type Models, quoteTable, type StoredField } from "@servicekit/orm";
import { Collations } from "./collations.js";

/** Whether each column comes by itself, or all as one list of texts. */
export type RowForm = "columns" | "list";

/** The columns of a row as one list of texts, named `r`. */
export const listOf = (columns: readonly string[]): string =>
  `ARRAY[${columns.map((column) => `${column}::text`).join(", ")}] AS r`;

/** A statement as it grows: its parameters, and names for the tables in it. */
export class Statement {
  readonly values: unknown[] = [];
  readonly models: Models;
  readonly #schema: string;
  readonly #form: RowForm;
  readonly #collations: Collations;
  #tables = 0;

  constructor(models: Models, schema: string, form: RowForm = "columns", collations = new Collations()) {
    this.models = models;
    this.#schema = schema;
    this.#form = form;
    this.#collations = collations;
  }

  /** What is selected of a row, in the form in which it is told. */
  shown(columns: readonly string[]): string {
    return this.#form === "columns" ? columns.join(", ") : listOf(columns);
  }

  /** What a pattern on a column needs behind it. */
  collate(model: Model, field: StoredField): string {
    return this.#collations.forPattern(model, field, this.#schema);
  }

  /** Adds a value and tells its name. */
  parameter(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** A new name for a table. */
  alias(): string {
    return `t${this.#tables++}`;
  }

  table(model: Model): string {
    return quoteTable(model, model.schema ?? this.#schema);
  }

  /** The table that holds the pairs of a relation without a foreign key. */
  pairs(relation: string): string {
    return quoteTable({ table: `_${relation}` }, this.#schema);
  }
}

/** What stands behind the first table of a `FROM`; it grows while conditions, orders and columns are written. */
interface Joins {
  sql: string;
}

/** A table within a `FROM`. */
export interface Scope {
  readonly statement: Statement;
  readonly model: Model;
  readonly alias: string;
  /** One for all tables of the same `FROM`. */
  readonly joins: Joins;
}

/** Opens the first table of a `FROM`, or one that is joined to another. */
export const openScope = (statement: Statement, model: Model, joins: Joins = { sql: "" }): Scope => ({
  statement,
  model,
  alias: statement.alias(),
  joins,
});

/** The whole `FROM` of its first table. */
export const fromScope = ({ statement, model, alias, joins }: Scope): string =>
  `FROM ${statement.table(model)} AS ${alias}${joins.sql}`;
