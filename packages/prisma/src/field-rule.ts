import type { StoredField } from "./model.js";

/** What a column keeps exactly: the one table that derived schemas and generated ones are made from (contract C12). */
export type FieldRule =
  /** Any text without NUL and half surrogate pairs. Characters are Unicode's, as PostgreSQL counts them. */
  | { readonly kind: "text"; readonly maxCharacters: number | undefined; readonly keepsEndBlanks: boolean }
  | { readonly kind: "uuid" }
  | { readonly kind: "inet" }
  | { readonly kind: "xml" }
  /** Bits as text: `length` of them, or at most so many. */
  | { readonly kind: "bits"; readonly length: number | undefined; readonly isExact: boolean }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "boolean" }
  /** A number where `isBig` is false, otherwise text (or a number that is exact). */
  | { readonly kind: "integer"; readonly min: bigint; readonly max: bigint; readonly isBig: boolean }
  | { readonly kind: "float"; readonly isSingle: boolean }
  /** So many digits before and after the point. */
  | { readonly kind: "decimal"; readonly whole: number; readonly fraction: number }
  /** ISO 8601, with at most so many decimal places of a second. */
  | { readonly kind: "date"; readonly part: "moment" | "day" | "time"; readonly places: number }
  | { readonly kind: "bytes" }
  | { readonly kind: "json" };

/** The most items that a list field takes in a body. */
export const mostListItems = 1000;

const rules = new WeakMap<StoredField, FieldRule>();

/** What the column of a field keeps exactly; of a list field, what one of its items is. */
export function fieldRule(field: StoredField): FieldRule {
  const known = rules.get(field);
  if (known !== undefined) return known;
  const rule = makeRule(field);
  rules.set(field, rule);
  return rule;
}

function makeRule(field: StoredField): FieldRule {
  if (field.kind === "enum") return { kind: "enum", values: field.values };
  const { name, args = [] } = field.nativeType ?? {};
  switch (field.type) {
    case "String":
      return textRule(name, args);
    case "Boolean":
      return { kind: "boolean" };
    case "Int":
    case "BigInt":
      return { kind: "integer", ...(integers[name ?? ""] ?? integers[field.type]), isBig: field.type === "BigInt" };
    case "Float":
      return { kind: "float", isSingle: name === "Real" };
    case "Decimal":
      return { kind: "decimal", ...decimalDigits(name, args) };
    case "DateTime":
      return { kind: "date", ...datePart(name), places: datePlaces(field) };
    case "Bytes":
      return { kind: "bytes" };
    case "Json":
      return { kind: "json" };
  }
}

const integers = {
  SmallInt: { min: -(2n ** 15n), max: 2n ** 15n - 1n },
  Oid: { min: 0n, max: 2n ** 31n - 1n },
  Int: { min: -(2n ** 31n), max: 2n ** 31n - 1n },
  BigInt: { min: -(2n ** 63n), max: 2n ** 63n - 1n },
} as Readonly<Record<string, { readonly min: bigint; readonly max: bigint }>> &
  Readonly<Record<"Int" | "BigInt", { readonly min: bigint; readonly max: bigint }>>;

function textRule(name: string | undefined, args: readonly string[]): FieldRule {
  const length = args[0] === undefined ? undefined : Number(args[0]);
  switch (name) {
    case "Uuid":
      return { kind: "uuid" };
    case "Inet":
      return { kind: "inet" };
    case "Xml":
      return { kind: "xml" };
    case "Bit":
      return { kind: "bits", length: length ?? 1, isExact: true };
    case "VarBit":
      return { kind: "bits", length, isExact: false };
    case "Char":
      return { kind: "text", maxCharacters: length ?? 1, keepsEndBlanks: false };
    default:
      return { kind: "text", maxCharacters: name === "VarChar" ? length : undefined, keepsEndBlanks: true };
  }
}

/** Without a native type Prisma's own default is (65, 30). */
function decimalDigits(name: string | undefined, args: readonly string[]): { whole: number; fraction: number } {
  if (name === "Money") return { whole: 17, fraction: 2 };
  const [precision, scale = 0] = args.map(Number);
  return precision === undefined ? { whole: 35, fraction: 30 } : { whole: precision - scale, fraction: scale };
}

/** Prisma's own type has milliseconds; PostgreSQL's types have microseconds unless they say otherwise. */
const datePlaces = ({ nativeType }: StoredField): number =>
  nativeType === undefined || nativeType.name === "Date" ? 3 : Number(nativeType.args[0] ?? 6);

function datePart(name: string | undefined): { part: "moment" | "day" | "time" } {
  if (name === "Date") return { part: "day" };
  return { part: name === "Time" || name === "Timetz" ? "time" : "moment" };
}
