import { describe, expect, it } from "vitest";
import { toJsonValue } from "./to-json.js";

describe("C4 gives values their JSON form", () => {
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
    ["what JSON knows", "text", "text"],
  ])("%s", (_title, value, shown) => {
    expect(toJsonValue(value)).toEqual(shown);
  });
});
