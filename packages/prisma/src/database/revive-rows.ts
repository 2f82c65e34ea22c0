import type { Model, Models } from "../models/model.js";
import type { Row } from "../queries/query-args.js";
import { withoutEnd } from "../values/without-end.js";

/** Converts the rows of a Prisma result. */
export type ReviveRows = (model: Model, result: unknown) => unknown;

/**
 * Prisma distinguishes its own values from rows by their `constructor`, so a row with a field of that name, and
 * everything below it, stays in the tagged format of its engine: `{ $type: "BigInt", value: "1" }`. This converts such
 * rows; in a schema without such a field it does nothing.
 */
export function makeReviveRows(models: Models): ReviveRows {
  if (![...models.values()].some(({ fieldsByName }) => fieldsByName.has("constructor")))
    return (_model, result) => result;
  const reviveRow: ReviveRows = (model, result) => {
    if (Array.isArray(result)) return result.map((row) => reviveRow(model, row));
    if (typeof result !== "object" || result === null) return result;
    const row = result as Row;
    if (isLeftTagged(row)) return untag(row);
    const revived: Record<string, unknown> = { ...row };
    for (const { kind, name, type } of model.fields) {
      const related = kind === "relation" && Object.hasOwn(row, name) ? models.get(type) : undefined;
      if (related !== undefined) revived[name] = reviveRow(related, row[name]);
    }
    return revived;
  };
  return reviveRow;
}

/** Prisma's own check. */
function isLeftTagged(row: Row): boolean {
  if (!Object.hasOwn(row, "constructor") || row.constructor === null) return false;
  return (row.constructor as { readonly name?: unknown }).name !== "Object";
}

function untag(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untag);
  if (typeof value !== "object" || value === null) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  const { $type: tag, value: tagged } = value as { readonly $type?: unknown; readonly value?: unknown };
  switch (tag) {
    case "BigInt":
      return BigInt(tagged as string);
    case "Bytes":
      return new Uint8Array(Buffer.from(tagged as string, "base64"));
    case "DateTime":
      return new Date(tagged as string);
    case "Decimal":
      return new PlainDecimal(String(tagged));
    case "Json":
      return JSON.parse(tagged as string);
    case "Enum":
    case "Raw":
      return tagged;
    default:
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, untag(item)]));
  }
}

/** A decimal in the shape by which Prisma recognizes one; Prisma's own requires its full runtime. */
class PlainDecimal {
  readonly s: number;
  readonly e: number;
  readonly d: readonly number[] = [];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text.includes(".") ? withoutEnd(withoutEnd(text, "0"), ".") : text;
    this.s = text.startsWith("-") ? -1 : 1;
    this.e = (this.#text.split(".", 1)[0] ?? "").replace("-", "").length - 1;
    Object.freeze(this);
  }

  decimalPlaces(): number {
    return this.#text.split(".")[1]?.length ?? 0;
  }

  toFixed(): string {
    return this.#text;
  }

  toString(): string {
    return this.#text;
  }

  toJSON(): string {
    return this.#text;
  }
}
