import { describe, expect, it } from "vitest";
import { meetsEveryRow } from "./meets-every-row.js";

describe("a condition that matches every row", () => {
  it.each([
    {},
    { AND: [] },
    { AND: {} },
    { AND: [{}, { AND: [] }] },
    { NOT: {} },
    { NOT: [] },
    { NOT: [{}] },
    { OR: {} },
    { OR: [{}] },
    { OR: [{ id: 1 }, {}] },
    { id: {} },
    { id: { notIn: [] } },
    { name: { mode: "insensitive" } },
    { name: { mode: "default" } },
    { articles: {} },
    { articles: { every: {} } },
    { id: { not: {} } },
  ])("is recognized: %j", (where) => {
    expect(meetsEveryRow(where)).toBe(true);
  });

  it.each([
    undefined,
    "id",
    { id: 1 },
    { id: null },
    { id: undefined },
    { OR: [] },
    { OR: [{ id: 1 }] },
    { NOT: { id: 1 } },
    { NOT: [{ id: 1 }] },
    { AND: [{ id: 1 }, {}] },
    { AND: "x" },
    { id: { in: [] } },
    { id: { notIn: [1] } },
    { id: { notIn: "x" } },
    { name: { contains: "a", mode: "insensitive" } },
    { name: { mode: "other" } },
    { articles: { some: {} } },
    { articles: { none: {} } },
    { manager: { is: {} } },
    { manager: { isNot: {} } },
    { articles: { every: { id: 1 } } },
    { tags: [] },
  ])("is not confused with one that matches some rows: %j", (where) => {
    expect(meetsEveryRow(where)).toBe(false);
  });
});
