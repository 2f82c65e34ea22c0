import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { seedBooks } from "./books.js";
import type { Served } from "./serve-models.js";
import { type Shelf, startShelf } from "./shelf.js";

const allow = { allowDangerousOrmQueryOptions: true };
let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"), allow);
  await seedBooks(shelf);
});
afterAll(() => shelf?.close());

const query = (options: unknown): string =>
  `prismaQueryOptions=${encodeURIComponent(typeof options === "string" ? options : JSON.stringify(options))}`;

describe("C11 C22 two databases that differ only in hidden values", () => {
  let other: Shelf;
  let databases: readonly Served[];
  beforeAll(async () => {
    other = await startShelf(inject("postgresUrl"), allow);
    await seedBooks(other);
    await other.sql(`UPDATE "Publisher" SET secret = CASE id WHEN 1 THEN 'zz' WHEN 2 THEN 'a' ELSE 'm' END`);
    // Whatever a clock has written is not what differs.
    for (const database of [shelf, other])
      await database.sql(`UPDATE "Book" SET "createdAt" = '2020-01-01', "updatedAt" = '2020-01-01'`);
    databases = [shelf, other];
  });
  afterAll(() => other?.close());

  /** What can be named of each model, the hidden field and a wrong name among the rest. */
  const models: Readonly<
    Record<
      string,
      { values: Readonly<Record<string, unknown[]>>; one: Record<string, string>; many: Record<string, string> }
    >
  > = {
    publishers: {
      values: { id: [1, 2], name: ["Alpha", "a"], city: ["Bern", null], secret: ["x", "z", "a", "m"] },
      one: {},
      many: { books: "books" },
    },
    books: {
      values: { id: [1, 3], title: ["One", "T"], pages: [100, 400, null], isbn: ["i1", null], nothing: [1] },
      one: { publisher: "publishers", sequel: "books", cover: "covers" },
      many: { tags: "tags", prequels: "books", authorships: "authorships" },
    },
    covers: { values: { color: ["red", "b"] }, one: { book: "books" }, many: {} },
    tags: { values: { name: ["a", "b"] }, one: {}, many: { books: "books" } },
    authorships: { values: { share: [50, 100], bookId: [1] }, one: { book: "books" }, many: { payments: "payments" } },
    payments: { values: { amount: ["5.00", 9.99] }, one: { authorship: "authorships" }, many: {} },
  };
  type Arbitrary = fc.Arbitrary<unknown>;
  const shape = (name: string) => models[name] ?? { values: {}, one: {}, many: {} };
  const field = (name: string) => fc.constantFrom(...Object.keys(shape(name).values));
  const reference = fc.constant({ _ref: "secret", _container: "Publisher" });

  function condition(name: string): Arbitrary {
    return field(name).chain((key) => {
      const value = fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...(shape(name).values[key] ?? [])) },
        { weight: 1, arbitrary: reference },
      );
      const operators = fc.oneof(
        fc.tuple(fc.constantFrom("equals", "not", "lt", "gte", "contains", "startsWith"), value),
        fc.tuple(fc.constantFrom("in", "notIn"), fc.array(value, { minLength: 1, maxLength: 2 })),
      );
      return fc.oneof(
        value.map((given) => ({ [key]: given })),
        operators.map(([word, given]) => ({ [key]: { [word]: given } })),
      );
    });
  }
  function where(name: string, depth: number): Arbitrary {
    const { one, many } = shape(name);
    const ways: Arbitrary[] = [condition(name)];
    if (depth > 0) {
      const inner = fc.array(where(name, depth - 1), { minLength: 1, maxLength: 2 });
      ways.push(fc.tuple(fc.constantFrom("AND", "OR", "NOT"), inner).map(([word, list]) => ({ [word]: list })));
      for (const [words, relations] of [
        [["is", "isNot"], one],
        [["some", "every", "none"], many],
      ] as const) {
        for (const [relation, other] of Object.entries(relations)) {
          ways.push(
            fc
              .tuple(fc.constantFrom(...words), where(other, depth - 1))
              .map(([word, given]) => ({ [relation]: { [word]: given } })),
          );
        }
      }
    }
    return fc.oneof(...ways);
  }
  function order(name: string, depth: number): Arbitrary {
    const { one, many } = shape(name);
    return fc.oneof(
      fc.tuple(field(name), fc.constantFrom("asc", "desc")).map(([key, way]) => ({ [key]: way })),
      ...Object.keys(many).map((relation) => fc.constant({ [relation]: { _count: "desc" } })),
      ...(depth === 0
        ? []
        : Object.entries(one).map(([relation, other]) =>
            order(other, depth - 1).map((given) => ({ [relation]: given })),
          )),
    );
  }
  function options(name: string, depth: number, isList: boolean): Arbitrary {
    const { one, many } = shape(name);
    const relations: Record<string, Arbitrary> = {};
    if (depth > 0) {
      for (const [relation, other] of Object.entries(one))
        relations[relation] = fc.oneof(fc.constant(true), options(other, depth - 1, false));
      for (const [relation, other] of Object.entries(many))
        relations[relation] = fc.oneof(fc.constant(true), options(other, depth - 1, true));
    }
    const some = (record: Record<string, Arbitrary>) => fc.record(record, { requiredKeys: [] });
    const flags = Object.fromEntries(Object.keys(shape(name).values).map((key) => [key, fc.constant(true)]));
    const counts = fc.constantFrom({ _count: true }, {}, {}, {});
    const tree = fc.oneof(
      fc.constant({}),
      some(relations).map((include) => ({ include })),
      fc
        .tuple(some({ ...flags, ...relations }), counts)
        .map(([select, count]) => ({ select: { ...select, ...count } })),
      fc.tuple(some(relations), field(name)).map(([include, key]) => ({ include, omit: { [key]: true } })),
    );
    if (!isList) return tree;
    const list = some({
      where: where(name, 2),
      orderBy: fc.array(order(name, 2), { minLength: 1, maxLength: 2 }),
      take: fc.integer({ min: -3, max: 5 }),
      skip: fc.integer({ min: 0, max: 2 }),
      cursor: condition(name),
      distinct: fc.array(field(name), { minLength: 1, maxLength: 2 }),
    });
    return fc.tuple(tree, list).map(([shaped, listed]) => ({ ...(shaped as object), ...(listed as object) }));
  }
  const requested = fc.oneof(
    ...["publishers", "books", "covers", "tags", "authorships"].map((path) =>
      fc.tuple(fc.constant(path), options(path, 2, true)),
    ),
    fc.tuple(fc.constant("publishers/1"), options("publishers", 3, false)),
    fc.tuple(fc.constant("books/2"), options("books", 3, false)),
  );

  it("return equal responses, whatever the options", { timeout: 300_000 }, async () => {
    const counts = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(requested, async ([path, given]) => {
        const responses = await Promise.all(
          databases.map((database) => database.call("GET", `/${path}?${query(given)}`)),
        );
        const [first, second] = responses.map(({ status, headers, body }) => {
          const { requestId: _, ...rest } = body;
          return { status, etag: headers.get("etag"), rest };
        });
        expect(second).toEqual(first);
        // What is drawn may be longer than a URL may be.
        expect([200, 400, 414]).toContain(first?.status);
        counts.set(first?.status ?? 0, (counts.get(first?.status ?? 0) ?? 0) + 1);
      }),
      { numRuns: process.env.SERVICEKIT_LONG === "1" ? 5000 : 800 },
    );
    expect(counts.get(200)).toBeGreaterThan(100);
    expect(counts.get(400)).toBeGreaterThan(100);
    expect(shelf.logged).toEqual([]);
  });
});
