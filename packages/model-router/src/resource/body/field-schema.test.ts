import { type StoredField } from "@servicekit/prisma";
import { dbNull, jsonNull } from "@servicekit/prisma/internal";
import { describe, expect, it } from "vitest";
import { fieldSchema } from "./field-schema.js";

const field = (type: string, more: Partial<StoredField> = {}): StoredField =>
  ({ kind: "scalar", name: "f", type, isRequired: true, isList: false, nativeType: undefined, ...more }) as StoredField;
const native = (name: string, ...args: string[]) => ({ nativeType: { name, args } });
const decimal = field("Decimal", native("Decimal", "4", "2"));

describe("C12 accepts what the column stores exactly", () => {
  it.each<[string, StoredField, unknown, unknown]>([
    ["a text of the full length, counted in characters", field("String", native("VarChar", "2")), "a🎵", "a🎵"],
    ["an integer written with a point", field("Int"), 1.0, 1],
    ["a big integer as text", field("BigInt"), "9007199254740993", 9007199254740993n],
    ["a big integer as an exact number", field("BigInt"), 12, 12n],
    ["a decimal as text", decimal, "12.50", "12.5"],
    ["a decimal as an exact number", decimal, 12.5, "12.5"],
    ["a date", field("DateTime"), "2024-01-31T12:00:00.123Z", new Date("2024-01-31T12:00:00.123Z")],
    ["a day in a date column", field("DateTime", native("Date")), "2024-01-31", new Date("2024-01-31T00:00:00Z")],
    ["bytes", field("Bytes"), "AP8=", new Uint8Array([0, 255])],
    ["any JSON", field("Json"), { a: [1, null, "x"] }, { a: [1, null, "x"] }],
    ["null in nullable JSON", field("Json", { isRequired: false }), null, dbNull],
    ["null in required JSON", field("Json"), null, jsonNull],
    ["null where the column is nullable", field("Int", { isRequired: false }), null, null],
    ["a network", field("String", native("Inet")), "10.0.0.0/8", "10.0.0.0/8"],
    [
      "long numbers inside JSON",
      field("Json"),
      [0.30000000000000004, { a: 1 / 3 }],
      [0.30000000000000004, { a: 1 / 3 }],
    ],
    ["a list of JSON", field("Json", { isList: true }), [1, { a: [null] }, "x"], [1, { a: [null] }, "x"]],
    ["a list", field("String", { isList: true }), ["a", "b"], ["a", "b"]],
    ["a number of single precision", field("Float", native("Real")), 0.1, 0.1],
  ])("%s", (_title, of, input, output) => {
    expect(fieldSchema(of).safeParse(input)).toEqual({ success: true, data: output });
  });

  it.each<[string, StoredField, unknown]>([
    ["1.5 for an integer", field("Int"), 1.5],
    ["text for an integer", field("Int"), "1"],
    ["an integer over its column", field("Int", native("SmallInt")), 40000],
    ["infinity", field("Float"), Number.POSITIVE_INFINITY],
    ["an inexact big integer", field("BigInt"), 2 ** 53],
    ["three decimals in two places", decimal, "1.005"],
    ["too many digits before the point", decimal, "100"],
    ["a number whose digits were lost already", field("Decimal"), 0.1234567890123456],
    ["a lone surrogate", field("String"), "\ud800"],
    ["NUL", field("String"), "a\0"],
    ["one character too many", field("String", native("VarChar", "2")), "abc"],
    ["a number for text", field("String"), 1],
    ["year 10000", field("DateTime"), "10000-01-01T00:00:00Z"],
    ["microseconds", field("DateTime"), "2024-01-01T00:00:00.000001Z"],
    ["a time of day in a date column", field("DateTime", native("Date")), "2024-01-31T10:00:00Z"],
    [
      "a fraction of a second where the column has none",
      field("DateTime", native("Timestamp", "0")),
      "2024-01-31T10:00:00.5Z",
    ],
    ["a number for a date", field("DateTime"), 0],
    ["null where the column is required", field("Int"), null],
    ["nothing where the column is required", field("DateTime"), undefined],
    ["nothing for required JSON", field("Json"), undefined],
    ["NUL inside JSON", field("Json"), { a: ["\0"] }],
    ["a JSON number that would be rounded", field("Json"), { a: 2 ** 60 }],
    ["too many digits for single precision", field("Float", native("Real")), 0.123456789],
    ["a value that is not a list", field("String", { isList: true }), "a"],
    ["a list of a thousand and one", field("Int", { isList: true }), Array(1001).fill(1)],
    ["a word for an address", field("String", native("Inet")), "localhost"],
    ["bits of another length", field("String", native("Bit", "3")), "10"],
    ["blanks at the end, which a char(n) does not keep", field("String", native("Char", "4")), "a "],
    ["an XML declaration, which the column does not keep", field("String", native("Xml")), '<?xml version="1.0"?><a/>'],
    ["null in a list of JSON", field("Json", { isList: true }), [null]],
    ["a number of 17 digits as the whole of a JSON value", field("Json"), 0.30000000000000004],
    ["a number of 17 digits in a list of JSON", field("Json", { isList: true }), [0.30000000000000004]],
    ["an object for a boolean", field("Boolean"), {}],
  ])("rejects %s", (_title, of, input) => {
    expect(fieldSchema(of).safeParse(input).success).toBe(false);
  });
});

it("C4 requires a big integer beyond the exact JSON numbers as a string", () => {
  const { error } = fieldSchema(field("BigInt")).safeParse(2 ** 53);
  expect(error?.issues[0]?.message).toBe(
    "Expected an integer from -9223372036854775808 to 9223372036854775807, beyond 9007199254740991 as a string.",
  );
});
