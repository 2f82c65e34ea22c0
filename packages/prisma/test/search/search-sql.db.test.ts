import fc from "fast-check";
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
  const values: unknown[] = [];
  const condition = searchSql(
    { ...search, text: searched },
    (column) => column,
    (value) => `$${values.push(value)}`,
  );
  const { rows } = await client.query(
    `SELECT ${condition} AS found FROM (SELECT $${values.push(text)}::text AS x) t`,
    values,
  );
  return rows[0].found;
};

describe("C103 the text vector", () => {
  // Without short runs, 20,000 characters of some of them last a minute.
  it.each([
    "a1",
    "é",
    "e\u0301",
    "\u05b1",
    "\u05b1\u05b0",
    "й",
    "<a",
    "<h1>",
    "a.",
    "-",
    "a_",
    "x1@",
    "./",
    "/~",
    "é?a",
    "<!--",
    "<!-- - ",
    '<a b="',
  ])("of 100,000 characters of %s is computed in linear time", async (part) => {
    await client.query("SET statement_timeout = 20000");
    const vector = vectorSql(search, (column) => column);
    const text = part.repeat(100_000 / part.length);
    await client.query(`SELECT length(${vector}) FROM (SELECT $1::text AS x) t`, [text]);
    await client.query("RESET statement_timeout");
  });

  it.each<readonly [string, string, string, boolean]>([
    ["a word between others without blanks", "fast,slow;quick", "slow", true],
    ["a word of 100 characters", `fast ${"x".repeat(100)} slow`, "x".repeat(100), true],
    ["a word of 150 characters, which is separated", `fast ${"x".repeat(150)} slow`, "x".repeat(150), true],
    ["a word of a comment", "fast <!-- slow --> quick", "slow", true],
    ["no word of a tag", '<a href="slow">fast</a>', "slow", false],
    ["no word of a closing tag", "<h1>fast</h1>", "h", false],
    ...(
      [
        ["report", "report-2024.final.pdf"],
        ["2024", "report-2024.final.pdf"],
        ["pdf", "report-2024.final.pdf"],
        ["report-2024.final.pdf", "the report-2024.final.pdf file"],
        ["final.pdf", "the report-2024.final.pdf file"],
        ["red", "red/blue"],
        ["blue", "red/blue"],
        ["red/blue", "red/blue"],
        ["1234", "poseidon-1234"],
        ["poseidon-1234", "poseidon-1234"],
        ["1234", "poseidon1234"],
        ["poseidon", "poseidon1234"],
        ["poseidon1234", "poseidon1234"],
        ["404", "/api/v2/404.html"],
        ["v2", "/api/v2/404.html"],
        ["user", "user_name"],
        ["user_name", "user_name"],
        ["ann", "ann.smith@example.com"],
        ["example", "ann.smith@example.com"],
        ["ann.smith@example.com", "ann.smith@example.com"],
        ["host", "https://www.host.org:8080/path"],
        ["8080", "https://www.host.org:8080/path"],
        ["https://www.host.org:8080/path", "https://www.host.org:8080/path"],
        ["12", "2024-12-31T10:20:30"],
        ["cafe", "Le Café"],
        ["CAFÉ", "un cafe"],
        ["caf\u00e9", "cafe\u0301"],
        ["Strasse", "Straße"],
        ["lodz", "Łódź"],
        ["Αθηνα", "Αθήνα"],
        ["елка", "ёлка"],
        ["viet nam", "Việt Nam"],
        ['"final pdf"', "report-2024.final.pdf"],
        ["tent -red/blue", "tent blue, red-green"],
      ] as const
    ).map(([searched, text]) => [`${searched} in ${text}`, text, searched, true] as const),
    ["no other word with the same parts", "poseidon and 1234", "poseidon-1234", false],
    ["no excluded parts", "tent red/blue", "tent -red/blue", false],
    ["no excluded word with an accent", "tent café", "tent -cafe", false],
    ["nothing for dashes", "tent", "- -- ---", false],
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

const parts = [
  "-",
  "- ",
  '"',
  "or ",
  "tent",
  "é1",
  " ",
  "(",
  ")",
  "&",
  "|",
  "!",
  ":*",
  "<->",
  "a-b",
  "'",
  "\\",
  "%",
  "東",
  "1".repeat(300),
];

describe("C143 a search", () => {
  it("accepts every text", async () => {
    const text = fc.oneof(
      fc.array(fc.constantFrom(...parts), { maxLength: 60 }).map((list) => list.join("")),
      fc.string({ unit: "binary", maxLength: 200 }).map((one) => one.replaceAll(/[\0\ud800-\udfff]/g, "")),
    );
    await fc.assert(
      fc.asyncProperty(text, async (searched) => void (await isFound("a tent", searched))),
      { numRuns: 300 },
    );
  });

  it.each(parts.flatMap((part) => [part, `${part} `, `tent ${part}`, `"${part}" -`]))(
    "accepts 10 KB of %j",
    async (part) => {
      await client.query("SET statement_timeout = 60000");
      await isFound("a tent", part.repeat(10_000 / part.length));
      await client.query("RESET statement_timeout");
    },
  );
});
