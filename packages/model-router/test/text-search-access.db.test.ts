import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";

let world: World;
let service: Guarded;

beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"));
  service = await world.serve({
    models: {
      Book: {
        aggregate: true,
        search: { fields: ["title", "subtitle"], language: "english" },
        auth: {
          where: () => ({ OR: [{ pages: null }, { pages: { lt: 1000 } }] }),
          fields: { "*": ["id", "pages"], reader: ["title"], editor: ["title", "subtitle"] },
        },
      },
    },
  });
}, 60_000);
afterAll(async () => {
  expect(service?.logged).toEqual([]);
  await world?.close();
});

const words = ["red", "boat", "boats", "sailing", "sail", "house"];
const text = fc.array(fc.constantFrom(...words), { maxLength: 4 }).map((list) => list.join(" "));
const query = fc
  .array(fc.tuple(fc.constantFrom("", "", "-", "or "), fc.constantFrom(...words)), { minLength: 1, maxLength: 3 })
  .chain((list) => {
    const plain = list.map(([sign, word]) => `${sign}${word}`).join(" ");
    return fc.constantFrom(plain, `"${list.map(([, word]) => word).join(" ")}"`);
  });
const rows = fc.array(fc.record({ title: text, subtitle: text, pages: fc.constantFrom(null, 10, 2000) }), {
  minLength: 1,
  maxLength: 8,
});

interface Given {
  readonly title: string;
  readonly subtitle: string;
  readonly pages: number | null;
}

async function seed(given: readonly Given[]): Promise<void> {
  await world.sql(emptyTables("Book"));
  for (const [at, { title, subtitle, pages }] of given.entries())
    await world.sql(
      `INSERT INTO "Book" (id, title, subtitle, pages, "updatedAt") VALUES ($1, $2, $3, $4, now())`,
      ...[at + 1, title, subtitle, pages],
    );
}

async function read(path: string, who: Who): Promise<unknown> {
  const { status, text: body } = await service.call("GET", path, undefined, who);
  return [status, JSON.parse(body)];
}

/** What a caller sees of a search: the list in its order, with excerpts, and the total of an aggregate. */
const seen = async (search: string, who: Who): Promise<unknown> => [
  await read(`/books?search=${encodeURIComponent(search)}&highlight=true`, who),
  await read(`/books?search=${encodeURIComponent(search)}&sort=-id&pages__isNull=false`, who),
  await read(`/books/aggregate?search=${encodeURIComponent(search)}&count=true`, who),
];

describe("C103 access rules of a full-text search", () => {
  it("shows the same to a caller whatever the fields contain that the caller may not read", async () => {
    const other = fc.array(text, { minLength: 8, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, other, query, async (given, others, search) => {
        await seed(given);
        const before = await seen(search, ["reader"]);
        await seed(given.map((row, at) => ({ ...row, subtitle: others[at] ?? "" })));
        expect(await seen(search, ["reader"])).toEqual(before);
        expect(JSON.stringify(before)).not.toContain("subtitle");
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("finds the rows that PostgreSQL finds in the readable fields of readable rows", async () => {
    await fc.assert(
      fc.asyncProperty(rows, query, fc.constantFrom("reader", "editor"), async (given, search, role) => {
        await seed(given);
        const columns = role === "editor" ? "title || ' | ' || subtitle" : "title";
        const vector =
          role === "editor"
            ? "to_tsvector('english', title) || to_tsvector('english', subtitle)"
            : `to_tsvector('english', ${columns})`;
        const expected = await world.sql<{ id: number }>(
          `SELECT id FROM "Book" WHERE (pages IS NULL OR pages < 1000) AND (${vector}) @@ websearch_to_tsquery('english', $1) ORDER BY id`,
          search,
        );
        const { text: body } = await service.call(
          "GET",
          `/books?sort=id&search=${encodeURIComponent(search)}`,
          undefined,
          [role],
        );
        const { data, meta } = JSON.parse(body);
        expect(data.map(({ id }: { id: number }) => id)).toEqual(expected.map(({ id }) => id));
        expect(meta.total).toBe(expected.length);
      }),
      { numRuns: 60, seed: 2 },
    );
  });

  it("rejects a search of callers who may read none of its fields", async () => {
    expect(await read("/books?search=red", undefined)).toMatchObject([400, { errors: [{ path: "/search" }] }]);
  });
});
