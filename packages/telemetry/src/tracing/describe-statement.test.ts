import { expect, it } from "vitest";
import { describeStatement } from "./describe-statement.js";

it.each([
  ['SELECT "a"."id" FROM "public"."Product" AS "a" WHERE "a"."id" = $1', "SELECT Product"],
  ['INSERT INTO "Note" ("text") VALUES ($1)', "INSERT Note"],
  ['update public."Note" set "text" = $1', "UPDATE Note"],
  ["BEGIN", "BEGIN"],
  ["", "statement"],
  ['WITH w AS (INSERT INTO "public"."Note" AS t0 ("text") SELECT p."text" FROM x) SELECT 1 FROM w', "INSERT Note"],
])("C69 names the span of %j %s", (sql, name) => expect(describeStatement(sql).name).toBe(name));

it("C69 truncates a long statement", () => {
  const text = describeStatement(`SELECT ${"x, ".repeat(10_000)}`).attributes["db.query.text"];
  expect(String(text)).toHaveLength(2_001);
});
