import { describe, expect, it } from "vitest";
import { toModels } from "../app/src/model/model-info.js";
import {
  barLengths,
  cutFraction,
  formatPeriod,
  groupField,
  measureFields,
  summaryColumns,
} from "../app/src/model/summary-fields.js";
import { changeSummary, readSummary, toQuestion } from "../app/src/model/summary-search.js";
import { item, models } from "./shop-models.js";

describe("C76, C98 summaries of the studio", () => {
  it("exist for models whose aggregates the user may read", () => {
    const operation = { name: "aggregate", method: "GET", path: "/api/orders/aggregate" };
    const mayRead = (operations: readonly (typeof operation & { allowed?: boolean })[]) =>
      toModels([{ name: "order", path: "/api/orders", key: ["id"], fields: [], operations }])[0]?.may("aggregate");
    expect(mayRead([{ ...operation, allowed: true }])).toBe(true);
    expect(mayRead([operation])).toBe(true);
    expect(mayRead([{ ...operation, allowed: false }])).toBe(false);
    expect(mayRead([])).toBe(false);
  });

  it("are read from the URL, without what is invalid in it", () => {
    const where = [["price", "gte", "1"]];
    const groupBy = ["state", "state", 1, "day:month", "line"];
    const measures = ["count", "sum.price", "average.price", "sum"];
    expect(readSummary({ where, groupBy, measures, sort: "-count", page: "3", deleted: "include" })).toEqual({
      where,
      groupBy: ["state", "day:month"],
      measures: ["count", "sum.price"],
      sort: "-count",
      page: 3,
    });
    expect(readSummary({ where: "x", groupBy: "state", measures: {}, page: -1 })).toEqual({});
  });

  it("request their groups and measures, and the count without measures", () => {
    expect(toQuestion({}, 50)).toEqual({ count: true, limit: 50 });
    const summary = {
      ...readSummary({ where: [["price", "gte", "1"]], search: "mug", deleted: "only", page: 2 }),
      groupBy: ["state", "order.title"],
      measures: ["sum.price", "max.line", "sum.line"],
      sort: "-sum.price",
    };
    expect(toQuestion(summary, 50)).toEqual({
      where: { price: { gte: "1" } },
      search: "mug",
      deleted: "only",
      groupBy: ["state", "order.title"],
      sum: ["price", "line"],
      max: ["line"],
      sort: ["-sum.price"],
      limit: 50,
      page: 2,
    });
  });

  it("return to the first page when they change, and lose an order and a time zone that no longer apply", () => {
    const before = { groupBy: ["day:month"], measures: ["count"], sort: "-day:month", timeZone: "Asia/Tokyo", page: 4 };
    expect(changeSummary(before, { search: "mug" })).toEqual({ ...before, page: undefined, search: "mug" });
    expect(changeSummary(before, { groupBy: ["state"], search: "" })).toEqual({
      groupBy: ["state"],
      measures: ["count"],
    });
  });

  it("have columns with titles, and bars for the numbers of measures", () => {
    const summary = { groupBy: ["order.title", "day:quarter"], measures: ["count", "sum.price", "max.day"] };
    const columns = summaryColumns(item, models, summary);
    expect(columns.map(({ title, hasBars }) => [title, hasBars])).toEqual([
      ["Order: title", false],
      ["Day (quarter)", false],
      ["Count", true],
      ["Sum of price", true],
      ["Maximum of day", false],
    ]);
    const row = {
      group: { "order.title": "Mugs", "day:quarter": "2026-04-01" },
      count: 2,
      sum: { price: "3.50" },
      max: { day: null },
    };
    expect(columns.map(({ valueIn }) => valueIn(row))).toEqual(["Mugs", "2026-04-01", 2, "3.50", null]);
  });

  it("measure only fields that fit the function", () => {
    const names = (word: "sum" | "min" | "countDistinct") => measureFields(item, word).map(({ name }) => name);
    expect(names("sum")).toEqual(["orderId", "line", "price"]);
    expect(names("min")).toEqual(["orderId", "line", "price", "note", "day", "state"]);
    expect(names("countDistinct")).not.toContain("tags");
    expect(
      ["order.title", "order.absent", "order", "tags", "state"].map((path) => groupField(item, models, path)?.name),
    ).toEqual(["title", undefined, undefined, undefined, "state"]);
  });

  it("name periods, shorten fractions, and draw bars in proportion to the largest number", () => {
    const named = ["year", "quarter", "month", "day"].map((period) => formatPeriod("2026-05-01", period));
    expect(named).toEqual(["2026", "2026 Q2", "2026-05", "2026-05-01"]);
    expect(formatPeriod("-infinity", "year")).toBe("-infinity");
    expect(barLengths(["10.5", 21, null, -42, "NaN"])).toEqual([25, 50, 0, 100, 0]);
    expect(["1.3333333333333333", "-0.123456", "1e300", "123456789"].map(cutFraction)).toEqual([
      "1.3333…",
      "-0.123456",
      "1e300",
      "123456789",
    ]);
    expect(barLengths([0, null])).toEqual([0, 0]);
  });
});
