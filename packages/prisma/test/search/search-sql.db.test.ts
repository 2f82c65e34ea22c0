import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { StoredField } from "../../src/models/model.js";
import { searchSql, vectorSql } from "../../src/search/search-sql.js";

const client = new pg.Client({ connectionString: inject("postgresUrl") });
beforeAll(() => client.connect());
afterAll(() => client.end());

const fields = [{ field: { column: "x" } as StoredField, weight: "A" as const }];
const search = { mode: "fullText" as const, language: "english", fields, text: "", isRanked: false };
const isFound = async (text: string, searched: string): Promise<boolean> => {
  const condition = searchSql(
    search,
    (column) => column,
    () => "$1",
  );
  const { rows } = await client.query(`SELECT ${condition} AS found FROM (SELECT $2::text AS x) t`, [searched, text]);
  return rows[0].found;
};

describe("C103 the text vector", () => {
  // Without short runs, 20,000 characters of some of them last a minute.
  it.each(["a_", "x1@", "./", "/~", "é?a", "<!--", "<!-- - ", '<a b="'])(
    "of 100,000 characters of %s is computed in linear time",
    async (part) => {
      await client.query("SET statement_timeout = 20000");
      const vector = vectorSql(search, (column) => column);
      const text = part.repeat(100_000 / part.length);
      await client.query(`SELECT length(${vector}) FROM (SELECT $1::text AS x) t`, [text]);
      await client.query("RESET statement_timeout");
    },
  );

  it.each([
    ["a word between others without blanks", "fast,slow;quick", "slow", true],
    ["a word of 100 characters", `fast ${"x".repeat(100)} slow`, "x".repeat(100), true],
    ["a word of 150 characters, which is separated", `fast ${"x".repeat(150)} slow`, "x".repeat(150), true],
    ["a word of a comment", "fast <!-- slow --> quick", "slow", true],
    ["no word of a tag", '<a href="slow">fast</a>', "slow", false],
  ])("finds %s", async (_name, text, searched, expected) => {
    expect(await isFound(text, searched)).toBe(expected);
  });

  it("is computed for a column whose collation supports no regular expressions", async () => {
    await client.query(
      "CREATE COLLATION pg_temp.loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
    );
    await client.query("CREATE TEMP TABLE named (x text COLLATE pg_temp.loose)");
    await client.query(
      `ALTER TABLE named ADD v tsvector GENERATED ALWAYS AS (${vectorSql(search, (name) => name)}) STORED`,
    );
    const { rows } = await client.query("INSERT INTO named VALUES ('Fast trains') RETURNING v::text");
    expect(rows).toEqual([{ v: "'fast':1A 'train':2A" }]);
  });
});
