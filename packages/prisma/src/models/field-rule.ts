import { isSinglePrecision } from "./is-single-precision.js";
import type { StoredField } from "./model.js";

/** What a column stores exactly: the common table for derived and generated schemas (contract C12). */
export type FieldRule =
  /** Any text without NUL and lone surrogates. Characters are Unicode's, as PostgreSQL counts them. */
  | { readonly kind: "text"; readonly maxCharacters: number | undefined; readonly keepsTrailingBlanks: boolean }
  | { readonly kind: "uuid" }
  | { readonly kind: "inet" }
  | { readonly kind: "xml" }
  /** Bits as text: exactly `length`, or at most. */
  | { readonly kind: "bits"; readonly length: number | undefined; readonly isExact: boolean }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "boolean" }
  /** A number if `isBig` is false, otherwise text (or an exact number). */
  | { readonly kind: "integer"; readonly min: bigint; readonly max: bigint; readonly isBig: boolean }
  | { readonly kind: "float"; readonly isSingle: boolean }
  /** The number of digits before and after the point. */
  | { readonly kind: "decimal"; readonly integer: number; readonly fraction: number }
  /** ISO 8601, with a maximum number of decimal places of a second. */
  | { readonly kind: "date"; readonly part: "moment" | "day" | "time"; readonly places: number }
  | { readonly kind: "bytes" }
  | { readonly kind: "json" };

/** Maximum number of items of a list field in a body. */
export const maxListItems = 1000;

const rules = new WeakMap<StoredField, FieldRule>();

/** What the column of a field stores exactly; for a list field, each of its items. */
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
      return { kind: "float", isSingle: isSinglePrecision(field) };
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
  TinyInt: { min: -(2n ** 7n), max: 2n ** 7n - 1n },
  MediumInt: { min: -(2n ** 23n), max: 2n ** 23n - 1n },
  UnsignedTinyInt: { min: 0n, max: 2n ** 8n - 1n },
  UnsignedSmallInt: { min: 0n, max: 2n ** 16n - 1n },
  UnsignedMediumInt: { min: 0n, max: 2n ** 24n - 1n },
  // Prisma Client has no larger ones.
  UnsignedInt: { min: 0n, max: 2n ** 31n - 1n },
  UnsignedBigInt: { min: 0n, max: 2n ** 63n - 1n },
  Year: { min: 1901n, max: 2155n },
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
      return { kind: "text", maxCharacters: length ?? 1, keepsTrailingBlanks: false };
    default:
      return { kind: "text", maxCharacters: name === "VarChar" ? length : undefined, keepsTrailingBlanks: true };
  }
}

/** Without a native type Prisma's own default is (65, 30). */
function decimalDigits(name: string | undefined, args: readonly string[]): { integer: number; fraction: number } {
  if (name === "Money") return { integer: 17, fraction: 2 };
  const [precision, scale = 0] = args.map(Number);
  return precision === undefined ? { integer: 35, fraction: 30 } : { integer: precision - scale, fraction: scale };
}

/** Prisma's own type has milliseconds; PostgreSQL's types have microseconds by default. */
const datePlaces = ({ nativeType }: StoredField): number =>
  nativeType === undefined || nativeType.name === "Date" ? 3 : Number(nativeType.args[0] ?? 6);

function datePart(name: string | undefined): { part: "moment" | "day" | "time" } {
  if (name === "Date") return { part: "day" };
  return { part: name === "Time" || name === "Timetz" ? "time" : "moment" };
}
