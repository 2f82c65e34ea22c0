import type { Filter } from "../filter/filter.js";
import { readWhere } from "../filter/read-where.js";
import { type Model, type Models, type StoredField } from "../models/model.js";
import { quoteTable } from "../models/quote-name.js";
import type { Clause } from "../queries/query-args.js";
import { Collations } from "./collations.js";

/**
 * Whether the columns of a result have names, which Prisma's raw queries require. A name is never a number, so that the
 * columns keep their order.
 */
export type RowForm = "unnamed" | "named";

/** The columns of a row as one list of texts, named `r`. */
export const listOf = (columns: readonly string[]): string =>
  `ARRAY[${columns.map((column) => `${column}::text`).join(", ")}] AS r`;

/** A statement under construction: its parameters, and the aliases of its tables. */
export class Statement {
  readonly values: unknown[] = [];
  readonly models: Models;
  readonly #schema: string;
  readonly #form: RowForm;
  readonly #collations: Collations;
  readonly #filters = new Map<Clause, Filter>();
  readonly #replacedRows = new Map<string, string>();
  #tables = 0;

  constructor(models: Models, schema: string, form: RowForm = "unnamed", collations = new Collations()) {
    this.models = models;
    this.#schema = schema;
    this.#form = form;
    this.#collations = collations;
  }

  /** The selected columns of a row; named ones are cast to text, because Prisma parses other types. */
  shown(columns: readonly string[]): string {
    if (this.#form === "unnamed") return columns.join(", ");
    return columns.map((column, index) => `${column}::text AS c${index}`).join(", ");
  }

  /** The suffix that a pattern on a column needs. */
  collate(model: Model, field: StoredField): string {
    return this.#collations.forPattern(model, field, this.#schema);
  }

  /** The `where` of a query as a filter; the count of a list has the same `where`. */
  filter(where: Clause, model: Model): Filter {
    const found = this.#filters.get(where) ?? readWhere(where, model, this.models);
    this.#filters.set(where, found);
    return found;
  }

  /** Adds a value and returns its placeholder. */
  parameter(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  /** A new alias for a table. */
  alias(): string {
    return `t${this.#tables++}`;
  }

  table(model: Model): string {
    return quoteTable(model, model.schema ?? this.#schema);
  }

  /** Reads other rows instead of those of a model's table from now on. */
  replaceRows({ name }: Model, sql: string): void {
    this.#replacedRows.set(name, sql);
  }

  /** The rows of a model in a `FROM`. */
  rows(model: Model): string {
    return this.#replacedRows.get(model.name) ?? this.table(model);
  }

  /** The join table of a many-to-many relation. */
  pairs(relation: string): string {
    return quoteTable({ table: `_${relation}` }, this.#schema);
  }
}

/** The text after the first table of a `FROM`; it grows while conditions, orders and columns are written. */
interface Joins {
  sql: string;
  /** The joined tables by the table and the relation that lead to them: each is joined once. */
  readonly joined: Map<string, Scope>;
}

/** A table within a `FROM`. */
export interface Scope {
  readonly statement: Statement;
  readonly model: Model;
  readonly alias: string;
  /** One for all tables of the same `FROM`. */
  readonly joins: Joins;
}

/** Opens the first table of a `FROM`, or a joined one. */
export const openScope = (
  statement: Statement,
  model: Model,
  joins: Joins = { sql: "", joined: new Map() },
): Scope => ({
  statement,
  model,
  alias: statement.alias(),
  joins,
});

/** The complete `FROM` of its first table. */
export const fromScope = ({ statement, model, alias, joins }: Scope): string =>
  `FROM ${statement.rows(model)} AS ${alias}${joins.sql}`;
