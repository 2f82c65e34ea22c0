import type { StoredField } from "@servicekit/prisma";
import { describe, expect, it } from "vitest";
import { readTextValue } from "./read-text-value.js";

const field = (type: string, more: Partial<StoredField> = {}): StoredField =>
  ({ kind: "scalar", name: "f", type, isRequired: true, isList: false, nativeType: undefined, ...more }) as StoredField;

const native = (name: string, ...args: string[]) => ({ nativeType: { name, args } });

describe("C10 parses a text by the field's own type", () => {
  it.each<[string, StoredField, string, unknown]>([
    ["text stays text", field("String"), "2024", "2024"],
    ["text that looks like a boolean", field("String"), "true", "true"],
    ["an integer", field("Int"), "-12", -12],
    ["the greatest Int", field("Int"), "2147483647", 2147483647],
    ["a big number, exactly", field("BigInt"), "9007199254740993", 9007199254740993n],
    ["the least BigInt", field("BigInt"), "-9223372036854775808", -9223372036854775808n],
    ["a fraction", field("Float"), "0.5", 0.5],
    ["a decimal as text, without needless zeros", field("Decimal"), "0012.500", "12.5"],
    ["a boolean", field("Boolean"), "false", false],
    ["an enum value", field("Size", { kind: "enum", values: ["S", "M"] } as never), "M", "M"],
    ["a day", field("DateTime"), "2024-02-29", new Date("2024-02-29T00:00:00Z")],
    ["a time with an offset", field("DateTime"), "2024-01-01T01:00:00+01:00", new Date("2024-01-01T00:00:00Z")],
    ["year 1", field("DateTime"), "0001-01-01", new Date("0001-01-01T00:00:00Z")],
    [
      "a uuid in lower case",
      field("String", native("Uuid")),
      "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
      "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
    ],
    ["bytes", field("Bytes"), "AP8=", new Uint8Array([0, 255])],
    ["a number as a single-precision column holds it", field("Float", native("Real")), "0.1", Math.fround(0.1)],
    ["a number as MySQL's single precision stores it", field("Float", native("Float")), "0.1", Math.fround(0.1)],
    ["NaN", field("Float"), "NaN", Number.NaN],
    ["an infinite decimal", field("Decimal"), "-Infinity", "-Infinity"],
    ["an address", field("String", native("Inet")), "::ffff:10.0.0.1", "::ffff:10.0.0.1"],
    ["a network", field("String", native("Inet")), "10.0.0.0/8", "10.0.0.0/8"],
    ["bits", field("String", native("Bit", "3")), "101", "101"],
    ["at most so many bits", field("String", native("VarBit", "5")), "", ""],
    ["text without the blanks that a char(n) does not keep", field("String", native("Char", "4")), "a  ", "a"],
    ["a time of day", field("DateTime", native("Time", "3")), "1970-01-01T12:00:00Z", new Date("1970-01-01T12:00:00Z")],
    ["a JSON number", field("Json"), "1.5", 1.5],
    ["zero with an exponent", field("Float"), "0.0e-400", 0],
  ])("%s", (_title, of, text, value) => {
    expect(readTextValue(of, text)).toEqual({ ok: true, value });
  });

  it.each<[string, StoredField, string]>([
    ["letters for a number", field("Int"), "abc"],
    ["a fraction for an integer", field("Int"), "1.5"],
    ["a leading zero", field("Int"), "01"],
    ["minus zero", field("Int"), "-0"],
    ["one over the greatest Int", field("Int"), "2147483648"],
    ["one over the greatest SmallInt", field("Int", native("SmallInt")), "32768"],
    ["one over the greatest BigInt", field("BigInt"), "9223372036854775808"],
    ["hexadecimal", field("Int"), "0x10"],
    ["a blank", field("Int"), ""],
    ["infinity", field("Float"), "1e400"],
    ["a number that would be read as 0", field("Float"), "-0.1e-400"],
    ["JSON that would be read as 0", field("Json"), "1e-400"],
    ["a number that single precision would read as 0", field("Float", native("Real")), "1e-60"],
    ["a word for a number", field("Float"), "nan"],
    ["NaN for a column without it", field("Float", { isFinite: true } as never), "NaN"],
    ["an infinite number for a column without it", field("Float", { isFinite: true } as never), "-Infinity"],
    ["an infinite decimal for a column without it", field("Decimal", { isFinite: true } as never), "Infinity"],
    ["an exponent in a decimal", field("Decimal"), "1e3"],
    ["another word for a boolean", field("Boolean"), "1"],
    ["an unknown enum value", field("Size", { kind: "enum", values: ["S"] } as never), "toString"],
    ["30 February", field("DateTime"), "2024-02-30"],
    ["29 February of a common year", field("DateTime"), "2023-02-29"],
    ["microseconds", field("DateTime"), "2024-01-01T00:00:00.000001Z"],
    ["a second spelling of year 0", field("DateTime"), "-000000-12-31T00:00:00Z"],
    ["a word for infinity in another spelling", field("DateTime"), "Infinity"],
    ["NaN in a column of money", field("Decimal", native("Money")), "NaN"],
    ["hour 25", field("DateTime"), "2024-01-01T25:00:00Z"],
    ["NUL in text", field("String"), "a\0b"],
    ["an invalid uuid", field("String", native("Uuid")), "undefined"],
    ["base64 with a wrong end", field("Bytes"), "AP8"],
    ["a number that single precision cannot hold", field("Float", native("Real")), "1e39"],
    ["an address with letters", field("String", native("Inet")), "localhost"],
    ["an address with a zone", field("String", native("Inet")), "fe80::1%eth0"],
    ["a network of too many bits", field("String", native("Inet")), "10.0.0.0/33"],
    ["bits of another length", field("String", native("Bit", "3")), "10"],
    ["too many bits", field("String", native("VarBit", "5")), "101010"],
    ["a time of day for a date", field("DateTime", native("Date")), "2024-01-01T12:00:00Z"],
    ["a date for a time of day", field("DateTime", native("Time")), "2024-01-01T12:00:00Z"],
    ["a bare word for Json", field("Json"), "abc"],
    ["an object where Json is compared", field("Json"), '{"_ref":"a","_container":"B"}'],
  ])("rejects %s", (_title, of, text) => {
    expect(readTextValue(of, text)).toMatchObject({ ok: false });
  });
});

it.each<[StoredField, string]>([
  [field("Size", { kind: "enum", values: ["S", "M"] } as never), "one of S, M"],
  [field("Int"), "an integer from -2147483648 to 2147483647"],
  [field("Int", native("SmallInt")), "an integer from -32768 to 32767"],
  [field("BigInt"), "an integer from -9223372036854775808 to 9223372036854775807"],
  [field("Float"), "a number"],
  [field("Decimal"), "a decimal number such as 12.50"],
  [field("Boolean"), "true or false"],
  [field("DateTime"), "a date such as 2026-01-31 or 2026-01-31T12:00:00Z"],
  [field("DateTime", native("Timestamptz", "3")), "a date such as 2026-01-31 or 2026-01-31T12:00:00Z"],
  [field("DateTime", native("Date")), "a date such as 2026-01-31"],
  [field("DateTime", native("Time", "3")), "a time such as 1970-01-01T12:00:00Z"],
  [field("DateTime", native("Timetz")), "a time such as 1970-01-01T12:00:00Z"],
  [field("Bytes"), "base64 text"],
  [field("Json"), "a JSON number, boolean or null, or a string in double quotes"],
  [field("String", native("Uuid")), "a UUID"],
  [field("String", native("Inet")), "an IP address, or a network such as 10.0.0.0/8"],
  [field("String", native("Bit")), "1 bits, each 0 or 1"],
  [field("String", native("Bit", "3")), "3 bits, each 0 or 1"],
  [field("String", native("VarBit")), "bits, each 0 or 1"],
  [field("String", native("VarBit", "5")), "at most 5 bits, each 0 or 1"],
  [field("String"), "text without the character NUL"],
])("C10 describes what %o accepts: %s", (of, expected) => {
  expect(readTextValue(of, "\0")).toEqual({ ok: false, expected });
});

it("C19 reads quoted text as a JSON string, whatever it looks like", () => {
  for (const text of ["abc", "null", "1", "{}", ""]) {
    expect(readTextValue(field("Json"), text, true)).toEqual({ ok: true, value: text });
  }
  expect(readTextValue(field("Int"), "1", true)).toEqual({ ok: true, value: 1 });
});
