/**
 * One of Prisma's three nulls of `Json` fields. Prisma's own objects come with its whole runtime; it knows them by
 * this symbol and method, which is all there is to them.
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

/** NULL in a `Json` column: what a body's `null` means for an optional `Json` field. */
export const dbNull = new PrismaNull("DbNull");

/** The JSON value `null` in a `Json` column. */
export const jsonNull = new PrismaNull("JsonNull");

/** In a condition: either of them. */
export const anyNull = new PrismaNull("AnyNull");
