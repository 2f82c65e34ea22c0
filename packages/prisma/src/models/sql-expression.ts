/** A column of the row in an {@link SqlExpression}. */
export class SqlColumn {
  /** The name of the column in the database. */
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    Object.freeze(this);
  }
}

/** A part of an {@link SqlExpression}: a column, another expression, or a value, which is sent as a parameter. */
export type SqlPart = SqlColumn | SqlExpression | string | number | bigint | boolean;

/** An expression of SQL on the columns of one row. Only the template `sql` makes one, so no text of a variable is part of it. */
export class SqlExpression {
  /** The texts around the parts. */
  readonly texts: readonly string[];
  readonly parts: readonly SqlPart[];

  /** @internal */
  constructor(texts: readonly string[], parts: readonly SqlPart[]) {
    this.texts = Object.freeze([...texts]);
    this.parts = Object.freeze([...parts]);
    Object.freeze(this);
  }
}

/**
 * The template of an {@link SqlExpression}: its text is SQL, its values are columns, expressions or parameters.
 *
 * @throws {TypeError} if it is not used as a template, for another kind of value, and for `;`, comments and placeholders
 */
export function sqlTemplate(texts: TemplateStringsArray, ...parts: readonly SqlPart[]): SqlExpression {
  if (!Array.isArray(texts) || !Object.isFrozen(texts) || !Array.isArray(texts.raw))
    throw new TypeError("Use sql as a template, without parentheses: sql`…`.");
  const forbidden = texts.join(" ").match(/;|--|\/\*|\$\d/)?.[0];
  if (forbidden !== undefined) throw new TypeError(`An sql template is one expression and contains no ${forbidden}.`);
  for (const part of parts) if (!isPart(part)) throw new TypeError(`An sql template takes no ${kindOf(part)}.`);
  return new SqlExpression(texts, parts);
}

const isPart = (part: unknown): boolean =>
  part instanceof SqlColumn ||
  part instanceof SqlExpression ||
  (typeof part === "string" && !part.includes("\0")) ||
  typeof part === "bigint" ||
  typeof part === "boolean" ||
  (typeof part === "number" && Number.isFinite(part));

const kindOf = (part: unknown): string =>
  part === null
    ? "null"
    : typeof part === "object" || typeof part === "function"
      ? "object"
      : `${typeof part} ${String(part)}`;
