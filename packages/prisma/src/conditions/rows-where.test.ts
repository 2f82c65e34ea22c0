import { describe, expect, it } from "vitest";
import { rowsWhere } from "./rows-where.js";

describe("the condition of rows by their values", () => {
  it("is one list for a single field", () => {
    expect(rowsWhere(["id"], [{ id: 1, name: "a" }, { id: 2 }])).toEqual({ id: { in: [1, 2] } });
  });

  it("is an alternative for each row of several fields, and of a boolean, which has no operator for lists", () => {
    expect(rowsWhere(["row", "place"], [{ row: 1, place: 2, guest: "x" }])).toEqual({ OR: [{ row: 1, place: 2 }] });
    expect(rowsWhere(["flag"], [{ flag: true }, { flag: false }])).toEqual({ OR: [{ flag: true }, { flag: false }] });
  });
});
