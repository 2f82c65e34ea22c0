import { describe, expect, it } from "vitest";
import { boundResponse, cutText, maxCharacters } from "./bound-response.js";

const rows = (count: number, length: number) => Array.from({ length: count }, () => ({ text: "x".repeat(length) }));
const textOf = (length: number): string => "x".repeat(length);

describe("C75 the bound of a result", () => {
  it("C75 returns what fits as it is", () => {
    const exact = textOf(maxCharacters - 2);
    expect(boundResponse(exact)).toBe(JSON.stringify(exact));
    expect(boundResponse({ data: [1], meta: 2 })).toBe('{"data":[1],"meta":2}');
    expect(cutText(textOf(maxCharacters))).toBe(textOf(maxCharacters));
  });

  it("C75 returns the first rows of a list, all of the rest, and how to request fewer", () => {
    const response = JSON.parse(boundResponse({ data: rows(100, 1000), meta: { total: 500 } }));
    expect(response.data.length).toBeGreaterThan(15);
    expect(response.data.length).toBeLessThan(24);
    expect(response.data[0]).toEqual({ text: textOf(1000) });
    expect(response.meta).toEqual({ total: 500 });
    expect(response.hint).toContain(`limit: ${response.data.length}`);
  });

  it("C75 never exceeds the bound, whatever the sizes of rows and of the rest are", () => {
    for (const [count, length, rest] of [
      [30, 900, 10],
      [3, 11_700, 100],
      [2000, 1, 500],
      [25, 1000, 12_000],
    ] as const) {
      const text = boundResponse({ data: rows(count, length), meta: textOf(rest) });
      expect(text.length, `${count} rows of ${length}`).toBeLessThanOrEqual(maxCharacters);
    }
  });

  it("C75 shortens the long values of a first row that does not fit, at any depth", () => {
    const text = boundResponse({ data: [{ a: { b: [textOf(30_000), textOf(2000)] }, c: null, d: 5 }] });
    const [json = "", hint] = text.split("\n");
    const [row] = JSON.parse(json).data;
    expect(row.a.b[0]).toBe(`${textOf(2000)}… (30000 characters)`);
    expect([row.a.b[1], row.c, row.d]).toEqual([textOf(2000), null, 5]);
    expect(hint).toContain("first of 1 rows");
  });

  it("C75 shortens the long values of one row, and cuts what is still too long", () => {
    expect(JSON.parse(boundResponse({ a: textOf(30_000), b: 1 }))).toEqual({
      a: `${textOf(2000)}… (30000 characters)`,
      b: 1,
    });
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [index, textOf(1000)]));
    const cut = boundResponse(many);
    expect(cut.length).toBeLessThanOrEqual(maxCharacters);
    expect(cut).toContain(`${maxCharacters - 200} of`);
  });
});
