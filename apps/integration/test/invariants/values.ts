import type { StoredField } from "@servicekit/prisma";
import type { TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { Draw } from "../../../../scripts/test/random-draw.js";
import { userIds } from "./callers.js";

/** Texts that formats, spreadsheets, collations and searches treat differently. */
export const texts = [
  ...["a", "A", "b", "ab", "a b", "", " ", " a", "a ", "null", "true", "0", "[]", '""'],
  ...["x\ny", "x\r\ny", "x\ry", "hello\n=1+1", "=1+1", "+1", "-", "@a", "\ta", "a,b", 'say "so"', "'a", "a\\b"],
  ...[
    "é",
    "É",
    "e\u0301",
    "ß",
    "ſ",
    "😀",
    "日本",
    "100%",
    "a_b",
    "<b>",
    "report-2024.final.pdf",
    "red/blue",
    "a".repeat(180),
  ],
];

const keys = ["a", "A", "b ", "a/b", "ü é", "100%", "a,b", "=1", "x\ny", "null", "-1", "😀", "a?b#c", "new"];

const dates: readonly string[] = [
  ...["2024-02-29T12:00:00.000Z", "2024-03-31T01:30:00.123Z", "1999-12-31T23:59:59.999Z", "1970-01-01T00:00:00.000Z"],
  ...["1002-03-04T05:06:07.890Z", "9999-12-31T23:59:59.999Z"],
];

/** Values of each type, in the form of responses. */
const valuesOf: Readonly<Record<string, readonly unknown[]>> = {
  Boolean: [true, false],
  Int: [0, 1, 2, 7, -5, 2_147_483_647, -2_147_483_648],
  BigInt: ["0", "1", "7", "-9007199254740993", "9223372036854775807"],
  Float: [0, 0.1, -1.5, 7, 1e21, 0.30000000000000004, 1.7976931348623157e308, 5e-324, 123_456_789.123_456_79],
  Decimal: ["0", "1", "1.5", "-0.0001", "12345678.9999", "7.25"],
  DateTime: dates,
  Json: [{ a: 1 }, [1, "x"], "text", 1.5, true, {}, { a: { b: [null] } }, []],
  Bytes: ["", "AP8=", "aGVsbG8="],
};

const uuids = Array.from({ length: 8 }, (_, at) => `00000000-0000-4000-8000-00000000000${at}`);

/** Values of a native type, which replace those of the type. */
const valuesOfNative: Readonly<Record<string, readonly unknown[]>> = {
  Citext: ["Ab-1", "ab-1", "AB-1", "zz", "é", "É"],
  Inet: ["10.0.0.1", "10.0.0.1/8", "10.0.0.1/32", "::1", "fe80::1"],
  Date: ["2024-02-29T00:00:00.000Z", "1999-12-31T00:00:00.000Z", "1970-01-01T00:00:00.000Z"],
  Uuid: uuids,
  Char: uuids,
};

export const hasTimes = (field: StoredField): boolean => field.type === "DateTime" && field.nativeType?.name !== "Date";

/** Dates outside of the years that MySQL stores. */
const earlyDates: Readonly<Record<TestedProvider, readonly string[]>> = {
  postgresql: ["0001-01-01T00:00:00.000Z"],
  sqlite: ["0001-01-01T00:00:00.000Z"],
  mysql: [],
};

/** Dates that filters accept, and bodies reject. */
export const filteredDates = ["+010000-01-01T00:00:00.000Z", "-000043-03-15T00:00:00.000Z"];

/** Draws values of fields, which databases store unchanged. */
export function makeValues(draw: Draw, provider: TestedProvider) {
  const pool = (field: StoredField, isKey: boolean): readonly unknown[] => {
    if (field.kind === "enum") return field.values;
    if (field.name === "ownerId") return userIds;
    if (field.name === "tenantId") return [1, 2];
    const native = valuesOfNative[field.nativeType?.name ?? ""];
    if (native !== undefined) return native;
    if (field.type === "String") return isKey ? keys : texts;
    const values = valuesOf[field.type] ?? [];
    return hasTimes(field) ? [...values, ...earlyDates[provider]] : values;
  };
  const value = (field: StoredField): unknown => {
    if (field.isList) return Array.from({ length: draw.below(3) }, () => draw.pick(pool(field, false)));
    if (!field.isRequired && draw.chance(0.25)) return null;
    return draw.pick(pool(field, field.isId || field.isForeignKey));
  };
  return { value, pool };
}
