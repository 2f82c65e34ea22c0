import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type Blog, startBlog } from "./blog.js";

let blog: Blog;
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"), {
    bulkItems: 100,
    models: { Oddity: { import: true, export: true }, Post: { import: true, export: true } },
  });
});
afterAll(async () => {
  expect(blog?.logged).toEqual([]);
  await blog?.close();
});

const pieces = [
  ...["\n", "\r", "\r\n", "\t", " ", "\u00a0", "\u2028", "\ufeff", '"', '""', ",", ";", "|", "'", "''"],
  ...[
    "=",
    "+",
    "-",
    "@",
    "＝",
    "＋",
    "－",
    "＠",
    "=1+1",
    "-1",
    "a",
    "ü",
    "🎵",
    "null",
    "NULL",
    "TRUE",
    "\\N",
    "[]",
    "{}",
  ],
];
const anyText = fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => parts.join(""));
const anyCell = fc.option(anyText, { freq: 6 });

const exported = async (target: string): Promise<string> => {
  const response = await fetch(`${blog.url}${target}`, { headers: { accept: "text/csv" } });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
};
const imported = async (target: string, body: string): Promise<void> => {
  const headers = { "content-type": "text/csv" };
  const response = await fetch(`${blog.url}${target}`, { method: "POST", headers, body });
  expect([response.status, response.status === 201 ? "" : `${body}\n${await response.text()}`]).toEqual([201, ""]);
};

/** What a spreadsheet runs as a formula. */
const isFormula = (cell: string): boolean => /^[=+\-@\t\r\n＝＋－＠]/.test(cell);

const names = ["sort", "or", "not"] as const;
const rows = () => blog.client.oddity.findMany({ orderBy: { id: "asc" }, select: { sort: true, or: true, not: true } });

it.each([1, 2, 3])("C104 an import of an exported file with %i columns creates the same rows", async (count) => {
  const columns = names.slice(0, count);
  const anyRow = fc.record(Object.fromEntries(columns.map((name) => [name, anyCell])));
  await fc.assert(
    fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 100, size: "max" }), async (data) => {
      await blog.client.oddity.deleteMany();
      await blog.client.oddity.createMany({ data });
      const before = await rows();
      const file = await exported(`/oddities?sort=id&fields=${columns.join()}`);
      const cells = parse(file, { record_delimiter: "\r\n" }) as string[][];
      expect(cells.length).toBe(data.length + 1);
      expect(cells.flat().filter(isFormula)).toEqual([]);
      await blog.client.oddity.deleteMany();
      await imported("/oddities/many", file);
      expect(await rows()).toEqual(before);
    }),
    { numRuns: 25 },
  );
});

it("C104 an import of an exported file creates the same values of each type", async () => {
  const select = { id: false, title: true, views: true, price: true, big: true, rating: true, status: true } as const;
  const all = { ...select, isPinned: true, data: true, tags: true };
  const posts = () => blog.client.post.findMany({ orderBy: { id: "asc" }, select: all });
  const data = [
    { title: "a\n=1+1", views: -1, price: "-12.50", big: -9007199254740993n, rating: -1.5, isPinned: true },
    { title: "'=x", data: { a: "=1\r\n", b: [null, ""] }, tags: ["=1", "", "\n", '"'] },
    { title: "", data: "=1", tags: [] },
    { title: " ", data: -1 },
  ];
  await blog.client.post.deleteMany();
  await blog.client.post.createMany({ data });
  const before = await posts();
  const file = await exported("/posts?sort=id&fields=title,views,price,big,rating,status,isPinned,data,tags");
  await blog.client.post.deleteMany();
  await imported("/posts/many", file);
  expect(await posts()).toEqual(before);
});
