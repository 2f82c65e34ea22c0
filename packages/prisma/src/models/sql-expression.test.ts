import { describe, expect, it } from "vitest";
import { SqlColumn, SqlExpression, type SqlPart, sqlTemplate as sql } from "./sql-expression.js";

describe("the template of an SQL expression", () => {
  it("has columns, other expressions and values as parts", () => {
    const column = new SqlColumn("price");
    const inner = sql`${column} * ${2}`;
    const expression = sql`coalesce(${inner}, ${"none"}, ${5n}, ${true})`;
    expect(expression).toBeInstanceOf(SqlExpression);
    expect(expression.texts).toEqual(["coalesce(", ", ", ", ", ", ", ")"]);
    expect(expression.parts).toEqual([inner, "none", 5n, true]);
    expect(inner.parts).toEqual([column, 2]);
  });

  it.each<readonly [unknown, string]>([
    [null, "null"],
    [undefined, "undefined undefined"],
    [{}, "object"],
    [[1], "object"],
    [() => 1, "object"],
    [Symbol("x"), "symbol Symbol(x)"],
    [Number.NaN, "number NaN"],
    [Number.POSITIVE_INFINITY, "number Infinity"],
    ["a\0b", "string a\0b"],
  ])("rejects other parts: %s", (part, kind) => {
    expect(() => sql`${part as SqlPart}`).toThrow(new TypeError(`An sql template takes no ${kind}.`));
  });

  it.each([";", "--", "/*", "$1"])("rejects %s in its text", (text) => {
    const strings = Object.freeze(Object.assign([`a ${text} b`], { raw: [`a ${text} b`] }));
    expect(() => sql(strings)).toThrow(new TypeError(`An sql template is one expression and contains no ${text}.`));
  });

  it("rejects calls that are no template", () => {
    const message = "Use sql as a template, without parentheses: sql`…`.";
    for (const texts of ["1 + 1", ["1 + 1"], Object.freeze(["1 + 1"]), Object.assign(["1"], { raw: ["1"] })])
      expect(() => sql(texts as unknown as TemplateStringsArray)).toThrow(new TypeError(message));
  });
});
