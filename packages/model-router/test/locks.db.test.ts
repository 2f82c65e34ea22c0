import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
let ids: number[];
let books: number[];
let publishers: number[];
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
  const people = Array.from({ length: 40 }, (_, index) => ({ name: `p${index}` }));
  ids = (await shelf.call("POST", "/people/many", people)).body.data.map(({ id }: { id: number }) => id);
  const houses = await shelf.call("POST", "/publishers/many", [{ name: "p" }, { name: "q" }]);
  publishers = houses.body.data.map(({ id }: { id: number }) => id);
  const [publisher] = publishers;
  const titles = Array.from({ length: 40 }, (_, index) => ({
    title: `b${index}`,
    publisherId: publisher,
    pages: index,
  }));
  books = (await shelf.call("POST", "/books/many", titles)).body.data.map(({ id }: { id: number }) => id);
  // The storage order of rows is not the order of keys, and in a large table rows are looked up one by one.
  await shelf.sql(`INSERT INTO "Person" (name) SELECT 'other' FROM generate_series(1, 5000)`);
  await shelf.sql(`INSERT INTO "Book" (title, "updatedAt") SELECT 'other', now() FROM generate_series(1, 5000)`);
  await shelf.sql(`UPDATE "Person" SET name = name WHERE id % 3 = 0`);
  await shelf.sql(`UPDATE "Book" SET title = title WHERE id % 3 = 0`);
  await shelf.sql(`ANALYZE "Person", "Book"`);
});
afterAll(() => shelf?.close());

/** Rows that are changed one by one cost more. */
const few = 12;
const turned = <T>(items: readonly T[], turn: number): T[] => (turn % 2 === 0 ? [...items] : [...items].reverse());

/** The responses to twenty concurrent requests, and how often PostgreSQL ended one for a deadlock. */
async function together(send: (turn: number) => Promise<{ readonly status: number }>) {
  const deadlocks = async () => {
    const [row] = await shelf.sql<{ deadlocks: bigint }>(
      "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()",
    );
    return Number(row?.deadlocks);
  };
  const before = await deadlocks();
  const responses = await Promise.all(Array.from({ length: 20 }, (_, turn) => send(turn)));
  return { statuses: [...new Set(responses.map(({ status }) => status))], deadlocks: (await deadlocks()) - before };
}

describe("requests that write the same rows in other orders do not lock each other out", () => {
  it("a list of changes", async () => {
    const send = (turn: number) =>
      shelf.call(
        "PATCH",
        "/people/many",
        turned(ids, turn).map((id) => ({ id, name: `${turn}-${id}` })),
      );
    expect(await together(send)).toEqual({ statuses: [200], deadlocks: 0 });
  });

  it("a list of changes, and changes by a filter", async () => {
    const send = (turn: number) => {
      const list = turned(books, turn).map((id) => ({ id, pages: turn }));
      return turn % 3 === 0
        ? shelf.call("PATCH", "/books/many?title__startsWith=b", { subtitle: `${turn}` })
        : shelf.call("PATCH", "/books/many", list);
    };
    expect(await together(send)).toEqual({ statuses: [200], deadlocks: 0 });
  });

  it("rows that hang on another", async () => {
    const send = (turn: number) =>
      shelf.call("PATCH", `/publishers/${publishers[turn % 2]}`, {
        books: turned(books.slice(0, few), turn).map((id) => ({ id })),
      });
    expect(await together(send)).toEqual({ statuses: [200], deadlocks: 0 });
  });

  it("a list of changes with relations", async () => {
    const send = (turn: number) =>
      shelf.call(
        "PATCH",
        "/books/many",
        turned(books.slice(0, few), turn).map((id) => ({
          id,
          subtitle: `${turn}`,
          publisher: { id: publishers[turn % 2] },
        })),
      );
    expect(await together(send)).toEqual({ statuses: [200], deadlocks: 0 });
  });

  it("lists of rows to delete", async () => {
    const send = async (turn: number) => {
      const { status } = await shelf.call("DELETE", "/people/many", { ids: turned(ids, turn) });
      // Only the first finds them.
      return { status: status === 404 ? 200 : status };
    };
    expect(await together(send)).toEqual({ statuses: [200], deadlocks: 0 });
  });
});
