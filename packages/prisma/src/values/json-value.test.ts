import { describe, expect, it } from "vitest";
import type { StoredField } from "../models/model.js";
import { toJsonField, toJsonValue } from "./json-value.js";

describe("C4 converts values to their JSON form", () => {
  it.each<[string, unknown, unknown]>([
    ["a date in UTC", new Date("2024-01-01T01:00:00+01:00"), "2024-01-01T00:00:00.000Z"],
    ["a big integer as text", 9007199254740993n, "9007199254740993"],
    ["bytes as base64", new Uint8Array([0, 255]), "AP8="],
    ["a slice of a buffer", new Uint8Array([9, 0, 255, 9]).subarray(1, 3), "AP8="],
    [
      "a decimal in plain notation",
      { toFixed: () => "1000000000000000000000", decimalPlaces: () => 0 },
      "1000000000000000000000",
    ],
    ["lists and objects inside", [{ a: 1n }, null], [{ a: "1" }, null]],
    ["a date that JavaScript cannot hold as null", new Date(Number.NaN), null],
    ["a number that JSON lacks as text", [Number.NaN, Number.NEGATIVE_INFINITY], ["NaN", "-Infinity"]],
    ["a value that JSON has", "text", "text"],
  ])("%s", (_title, value, shown) => {
    expect(toJsonValue(value)).toEqual(shown);
  });
});

it("C4 returns a char(n) without its padding, and Json unchanged", () => {
  const char = { kind: "scalar", type: "String", nativeType: { name: "Char", args: ["4"] } } as unknown as StoredField;
  expect(toJsonField(char, " a  ")).toBe(" a");
  expect(toJsonField(char, ["a  ", "b"])).toEqual(["a", "b"]);
  expect(toJsonField(char, null)).toBeNull();
  const json = { kind: "scalar", type: "Json" } as StoredField;
  expect(toJsonField(json, { a: "x  " })).toEqual({ a: "x  " });
});

describe("C4 returns a decimal with all places of its column", () => {
  const decimal = (...args: string[]) =>
    ({ kind: "scalar", type: "Decimal", nativeType: { name: "Decimal", args } }) as unknown as StoredField;
  it.each<[string, StoredField, unknown, unknown]>([
    ["pads", decimal("10", "2"), "59.5", "59.50"],
    ["gives a whole number its point", decimal("10", "2"), "-59", "-59.00"],
    ["keeps what is whole already", decimal("10", "2"), "59.55", "59.55"],
    ["has no point where the column has no places", decimal("8", "0"), "59", "59"],
    ["has no places without a type of its own", { kind: "scalar", type: "Decimal" } as StoredField, "59.5", "59.5"],
    ["pads each of a list", decimal("10", "2"), ["1", "2.5"], ["1.00", "2.50"]],
    ["leaves null", decimal("10", "2"), null, null],
    ["leaves what a hook put there", decimal("10", "2"), "free", "free"],
  ])("%s", (_title, field, value, shown) => {
    expect(toJsonField(field, value)).toEqual(shown);
  });
});
