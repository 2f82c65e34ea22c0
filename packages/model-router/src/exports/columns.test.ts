import { readModels } from "@servicekit/prisma";
import { expect, it } from "vitest";
import { models as data } from "../../test/generated/records/models.js";
import { cellsOf, columnName, columnsOf } from "./columns.js";

const models = readModels(data);
const project = models.get("Project");
if (project === undefined) throw new Error("Project");

const namesOf = (select: object, isShown = (_: string): boolean => true, rows: readonly object[] = []) =>
  columnsOf(select as never, isShown, project, models, rows as never).map(
    ({ path, kind }) => `${path.join(".")} ${kind}`,
  );

it("C104 has a column for each selected field, and for those of included to-one relations after them", () => {
  const company = { select: { name: true, id: true } };
  expect(namesOf({ id: true, company, title: true, budget: true, updatedAt: true })).toEqual([
    ...["id value", "title text", "budget value", "updatedAt value"],
    ...["company.name text", "company.id value"],
  ]);
});

it("C104 has no column of other fields", () => {
  expect(namesOf({ id: true, title: false, secret: true, unknown: true, company: true })).toEqual(["id value"]);
  expect(namesOf({ id: true, title: true, company: { select: { id: true } } }, (name) => name === "title")).toEqual([
    "title text",
  ]);
});

it("C104 has a column for each value that a hook added to the first rows", () => {
  const rows = [
    { id: 1, note: "x" },
    { id: 2, rank: 3, company: { id: 1 } },
  ];
  expect(namesOf({ id: true }, undefined, rows)).toEqual(["id value", "note text", "rank value", "company text"]);
});

it("C104 writes values of users so that no spreadsheet runs them", () => {
  const columns = columnsOf({ id: true, title: true, budget: true } as never, () => true, project, models, [
    { more: 1 },
  ] as never);
  expect(cellsOf({ id: 1, title: "=1+1", budget: "-1.50", more: ["-x"] }, columns)).toEqual([
    "1",
    "'=1+1",
    "-1.50",
    '["-x"]',
  ]);
  expect(cellsOf({ id: 1, title: null }, columns)).toEqual(["1", null, null, null]);
  expect(columnName({ path: ["=a", "b"], kind: "value" })).toBe("'=a.b");
});
