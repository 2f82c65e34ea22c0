/**
 * One of Prisma's three nulls of `Json` fields. Prisma's own objects require its full runtime; it recognizes them
 * by this symbol and method.
 */
export class PrismaNull {
  readonly #name: "DbNull" | "JsonNull" | "AnyNull";

  constructor(name: "DbNull" | "JsonNull" | "AnyNull") {
    this.#name = name;
    Object.defineProperty(this, Symbol.for("prisma.objectEnumValue"), { value: true });
    Object.freeze(this);
  }

  _getName(): string {
    return this.#name;
  }
}

/** NULL in a `Json` column: a body's `null` for an optional `Json` field. */
export const dbNull = new PrismaNull("DbNull");

/** The JSON value `null` in a `Json` column. */
export const jsonNull = new PrismaNull("JsonNull");

/** In a condition: either of them. */
export const anyNull = new PrismaNull("AnyNull");
