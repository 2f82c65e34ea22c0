import { randomBytes } from "node:crypto";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { StoredField } from "../../src/models/model.js";
import { headlineSql, makeHeadlineMarks, originalExcerpt } from "../../src/search/headline-sql.js";
import { searchSql } from "../../src/search/search-sql.js";

const parts = [
  ...[
    "Fast",
    "quick",
    "link",
    "x".repeat(60),
    " ",
    " ",
    " ",
    "<b>",
    "</b>",
    '<a href="quick">',
    "</a>",
    "<",
    ">",
    "</mark>",
    "</x",
  ],
  ...[
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<!-->",
    "fast-paced",
    "https://x.com/fast?a=",
    "&lt;",
    "&",
    '"',
    "'",
    "{",
    "}",
  ],
  ...[
    "\uf8fe",
    "é",
    "東",
    "😀",
    "-",
    "/",
    "fast@x.com",
    "<a b",
    "<i>quick</i>",
    "3",
    "^|",
    "<?fast",
    "<br/>",
    "\u0001",
  ],
];
const text = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((list) => list.join(""));
const query = fc.constantFrom("fast", "link", "quick or link", '"quick fast"', "fast quick");

/** Whether a text contains a fragment, in which long tags are shortened. */
const isPart = (fragment: string, of = ""): boolean => {
  let at = 0;
  return fragment.split("…").every((part) => {
    const found = of.indexOf(part, at);
    at = found + part.length;
    return found !== -1;
  });
};

/** The condition of the texts that a search finds. */
const condition = searchSql(
  {
    mode: "fullText",
    language: "english",
    fields: [{ field: { column: "x" } as StoredField, weight: "A" }],
    text: "",
    isRanked: false,
  },
  (column) => column,
  () => "$1",
);

/** Texts as large as excerpts read, which a parser could read again from each of their characters. */
const large = ["<!--", "<!--->", "<!-- - ", "<a ", '<a="', "<script>", "</", "<b>", "a_", "x1@", "./", "/~", "é?a"].map(
  (part) => `Fast ${part.repeat(25_000 / part.length)}`.slice(0, 25_000),
);

describe.each(["C.UTF-8", "C"])("C103 excerpts in the locale %s", (locale) => {
  const name = `test_${randomBytes(8).toString("hex")}`;
  const server = new pg.Client({ connectionString: inject("postgresUrl") });
  let client: pg.Client;
  beforeAll(async () => {
    await server.connect();
    await server.query(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE '${locale}'`,
    );
    const url = new URL(inject("postgresUrl"));
    url.pathname = name;
    client = new pg.Client({ connectionString: url.href });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await server.query(`DROP DATABASE ${name}`);
    await server.end();
  });

  /** The excerpts of texts, with `[` and `]` around the words of the search. */
  const excerpts = async (search: string, texts: readonly string[]): Promise<readonly string[]> => {
    const marks = makeHeadlineMarks(() => randomBytes(12).toString("hex"));
    const { sql, values } = headlineSql({ language: "english", text: search, texts, marks });
    const { rows } = await client.query(sql, [...values]);
    return rows.map(({ headline }, index) =>
      originalExcerpt(headline, texts[index] ?? "", marks)
        .replaceAll(marks.word[0], "[")
        .replaceAll(marks.word[1], "]"),
    );
  };

  // The second half is C143: the parts of words, and accents.
  it.each([
    ["fast", "A slow <b>Fast</b> train", "slow <b>[Fast]</b> train"],
    ["link", 'slow <a href="quick">link</a> here', 'slow <a href="quick">[link]</a>'],
    ["alert", "slow </mark><script>alert(1)</script> alert", "slow </mark><script>alert(1)</script> [alert]"],
    ['"quick fast"', "very quick <b>fast</b> fox", "[quick] <b>[fast]"],
    ["fast", `train ${"<b>long</b>".repeat(20)} fast`, "<b>long</b> [fast]"],
    ["fast", "train <fast", "train <[fast]"],
    ["fast", `train <a href="${"x".repeat(1_000)}">fast</a>`, `train <a href="${"x".repeat(90)}…[fast]`],
    ["report", "the report-2024.final.pdf of Zoë", "[report]-2024.final"],
    ["report-2024.final", "the report-2024.final.pdf of Zoë", "[report]-[2024].[final]"],
    ["1234", "send poseidon1234 to ann_b@example.com", "poseidon[1234] to ann_b@example"],
    ["example", "send poseidon1234 to ann_b@example.com", "ann_b@[example]"],
    ["cafe", "Le <b>Café</b> est déjà fermé", "[Café]</b> est déjà fermé"],
    ["là", "là <a href='/b-c'>x-y</a> là", "[là] <a href='/b-c'>x-y</a> [là]"],
    ["strasse", "Die Straße ist naß", "[Straße] ist naß"],
    ["resume", "A re\u0301sume\u0301 in two forms: résumé", "[re\u0301sume\u0301] in two forms: [résumé]"],
  ])("contain the tags between words: %s in %s", async (search, given, expected) => {
    expect((await excerpts(search, [given]))[0]).toContain(expected);
  });

  it("marks a word in each text that the search finds, and contains nothing else than the text", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 20, maxLength: 20 }), query, async (texts, search) => {
        const found = await client.query(
          `SELECT ${condition} AS found FROM unnest($2::text[]) WITH ORDINALITY AS t(x, n) ORDER BY n`,
          [search, texts],
        );
        const headlines = await excerpts(search, texts);
        for (const [at, headline] of headlines.entries()) {
          const isFound = found.rows[at].found as boolean;
          expect([texts[at], !isFound || headline.includes("[")]).toEqual([texts[at], true]);
          for (const fragment of headline.replace(/[[\]]/g, "").split(" … "))
            expect([texts[at], fragment, isPart(fragment, texts[at])]).toEqual([texts[at], fragment, true]);
        }
      }),
      { numRuns: 30, seed: 1 },
    );
  });

  it("are bounded in their size and in the work of the parser for large texts of tags", async () => {
    await client.query("SET statement_timeout = 2000");
    for (const headline of await excerpts("fast", large)) expect(headline.length).toBeLessThan(25_000);
    await client.query("RESET statement_timeout");
  });
});
