import type { SqlColumn, SqlExpression, SqlPart } from "@servicekit/prisma";
import type { z } from "zod";

/**
 * A field of responses that is computed from stored fields of the row (contract C102). `typedModels` types `needs` and
 * the row with the schema.
 */
export interface ComputedFieldConfig<Type extends z.ZodType = z.ZodType> {
  /** The Zod schema of the value in JSON. It documents the field; values are not validated. */
  readonly type: Type;
  /**
   * The stored fields that {@link compute} receives, hidden ones too. Without both, the field is one that
   * `$extends({ result })` of the Prisma client computes.
   */
  readonly needs?: readonly string[];
  /** Returns the value, synchronously. It should depend on the row only. */
  // A method, because its parameters are bivariant: functions of typed rows are allowed.
  compute?(row: Readonly<Record<string, unknown>>): z.output<Type>;
  /**
   * Returns the same value as an expression of PostgreSQL, called once at startup: filters and orders can use the field then
   * (contract C102).
   */
  sql?(context: ComputedSql): SqlExpression;
}

/**
 * What the `sql` of a computed field receives.
 *
 * @typeParam Need the names of the needed fields
 */
export interface ComputedSql<Need extends string = string> {
  /** The column of a needed field. */
  readonly column: (field: Need) => SqlColumn;
  /** The template of the expression. Its text is SQL; its values are columns, other expressions, or sent as parameters. */
  readonly sql: (texts: TemplateStringsArray, ...parts: readonly SqlPart[]) => SqlExpression;
}

/** The computed fields of a model by name. */
export type ComputedFieldConfigs = Readonly<Record<string, ComputedFieldConfig>>;
