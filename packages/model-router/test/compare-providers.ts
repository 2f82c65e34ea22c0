import assert from "node:assert/strict";
import { operatorsOf, type StoredField } from "@servicekit/prisma";
import { isSortable, isStored } from "@servicekit/prisma/internal";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import type { TestedProvider } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";
import type { TestResponse } from "./serve-models.js";

/**
 * Declares tests that compare a service on a provider with the same service on PostgreSQL, request by request.
 *
 * @param share the share of the operands and sorts that are compared, drawn anew in each run
 */
export function compareWithPostgres(provider: Exclude<TestedProvider, "postgresql">, share = 1): void {
  const entry = provider === "mysql" ? "C119" : "C113";
  const isDrawn = (): boolean => Math.random() < share;
  let postgres: Portable;
  let other: Portable;
  const statuses: number[] = [];
  beforeAll(async () => {
    postgres = await startPortable("postgresql", inject("postgresUrl"));
    other = await startPortable(provider, "");
    await seed();
  });
  afterAll(async () => {
    await postgres?.close();
    await other?.close();
  });

  /** A response without what a provider may choose. */
  const shown = ({ status, headers, body }: TestResponse) => ({
    status,
    link: headers.get("link")?.replaceAll(/127\.0\.0\.1:\d+/g, "host"),
    location: headers.get("location"),
    body: withoutTimes(body),
  });

  function withoutTimes(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(withoutTimes);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        name,
        ["createdAt", "updatedAt", "requestId"].includes(name) || isMadeId(name, item) ? "set" : withoutTimes(item),
      ]),
    );
  }

  const isMadeId = (name: string, value: unknown): boolean =>
    name === "id" && typeof value === "string" && value.length === 36;

  /** A rejected row uses up an id of PostgreSQL, none of SQLite, and several of MySQL. */
  async function alignIds(): Promise<void> {
    if (provider === "sqlite") {
      const rows = (await other.query("SELECT name, seq FROM sqlite_sequence")) as { name: string; seq: bigint }[];
      for (const { name, seq } of rows)
        await postgres.query(`SELECT setval(pg_get_serial_sequence('"${name}"', 'id'), ${seq})`);
      return;
    }
    for (const table of ["Book", "Publisher", "Writer"]) {
      const [row] = (await postgres.query(`SELECT last_value AS last FROM "${table}_id_seq"`)) as { last: bigint }[];
      await other.query(`ALTER TABLE ${table} AUTO_INCREMENT = ${BigInt(row?.last ?? 0) + 1n}`);
    }
  }

  /** Sends a request to both, and compares the responses. */
  async function both(method: string, path: string, body?: unknown): Promise<TestResponse> {
    const [expected, found] = await Promise.all([postgres.call(method, path, body), other.call(method, path, body)]);
    assert.deepEqual(shown(found), shown(expected), `${method} ${path} ${JSON.stringify(body)}`);
    statuses.push(found.status);
    return found;
  }

  const texts = ["", "a", "A", "aB%c", "ab_C", "x\\y", "*[a]?", "null", "é", "É", "a b", "🎵", "%", "_"];
  const times = [
    "2024-01-01T00:00:00.000Z",
    "1999-12-31T23:59:59.999Z",
    "2024-01-01T00:00:00.001Z",
    provider === "mysql" ? "1000-01-01T00:00:00.000Z" : "0001-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
  ];
  const examples: Readonly<Record<string, readonly unknown[]>> = {
    string: texts,
    text: [...texts].reverse(),
    boolean: [true, false],
    int: [0, 1, -1, 2147483647, -2147483648, 42],
    bigInt: ["0", "9223372036854775807", "-9223372036854775808", "9007199254740993"],
    float: [0, 1.5, -0.1, 1e300, 5e-324, 1.1234567890123457, 1e15, 123456789012345680],
    dateTime: times,
    json: [{ a: 1 }, { bb: 1, a: [1, null, "x"] }, [], "text", 1, 1.5, true, { a: { c: 1, b: 2 } }, {}],
    bytes: ["", "AQI=", "AA==", "//8="],
    size: ["SMALL", "MEDIUM", "LARGE"],
  };

  async function seed(): Promise<void> {
    const names = Object.keys(examples);
    const rows = Array.from({ length: 16 }, (_, row) =>
      Object.fromEntries(
        names.flatMap((name, at) => {
          const values = examples[name] ?? [];
          const index = (row + at) % (values.length + 1);
          return index === values.length ? [] : [[name, values[index]]];
        }),
      ),
    );
    await both("POST", "/values/many", rows);
    for (const row of rows.slice(0, 4)) await both("POST", "/musts", { ...fill(0), ...row, text: undefined });
    await both("POST", "/publishers/many", [
      { name: "Alpha", city: "Bern" },
      { name: "Beta" },
      { name: "gamma", city: "Rome" },
    ]);
    await both("POST", "/tags/many", [{ name: "a" }, { name: "B" }, { name: "c" }]);
    await both("POST", "/writers/many", [{ name: "Ann" }, { name: "Bob" }]);
    await both("POST", "/books/many", [
      { title: "One", publisherId: 1, pages: 100, score: 1.5, size: "SMALL", publishedAt: times[0], isbn: "i1" },
      { title: "one", publisherId: 2, subtitle: "x" },
      { title: "Two", pages: 300, seriesOf: 1, isbn: "i2" },
      { title: "three", publisherId: 3, pages: 100, size: "LARGE", seriesOf: 2 },
      { title: "Four", score: -2, publishedAt: times[1], subtitle: "100%" },
    ]);
    await both(
      "POST",
      "/covers/many",
      [1, 2, 4].map((bookId) => ({ color: "red", bookId })),
    );
    await both("POST", "/authorships/many", [
      { bookId: 1, writerId: 1 },
      { bookId: 1, writerId: 2, share: 1 },
      { bookId: 3, writerId: 2, share: 50 },
    ]);
    for (const [id, tags] of [
      [1, ["a", "B"]],
      [2, ["a"]],
      [4, ["c"]],
    ] as const)
      await both("PATCH", `/books/${id}`, { tags: tags.map((name) => ({ name })) });
  }

  const fill = (at: number) => Object.fromEntries(Object.entries(examples).map(([name, values]) => [name, values[at]]));

  function operandsOf({ name }: StoredField, operator: string): readonly string[] {
    const plain = (value: unknown): string => (typeof value === "object" ? JSON.stringify(value) : String(value));
    const values = (examples[name] ?? []).map(plain);
    if (operator === "isNull") return ["true", "false"];
    if (operator === "in" || operator === "notIn")
      return [
        values
          .slice(0, 3)
          .map((value) => JSON.stringify(value))
          .join(","),
      ];
    if (/contains|With/i.test(operator))
      return [...values, "B", "b", "%", "*", "É", "\\", "A"].filter((value) => value !== "");
    return values;
  }

  it(`${entry} finds the same rows with every operator of every field`, async () => {
    let compared = 0;
    for (const field of (other.models.get("Value")?.fields ?? []).filter(isStored)) {
      if (field.isId) continue;
      for (const operator of operatorsOf(field)) {
        for (const operand of operandsOf(field, operator)) {
          if (/^i/.test(operator) && operator !== "in" && operator !== "isNull" && /[^\0-\x7f]/.test(operand)) continue;
          if (!isDrawn()) continue;
          const filter = `${field.name}__${operator}=${encodeURIComponent(operand)}`;
          const { status } = await both("GET", `/values?${filter}&fields=id&sort=id`);
          compared += status === 200 ? 1 : 0;
        }
      }
    }
    expect(compared).toBeGreaterThan(120 * share);
  });

  it(`${entry} returns the same values, sorts and pages`, async () => {
    await both("GET", "/values?sort=id");
    await both("GET", "/musts");
    const fields = (other.models.get("Value")?.fields ?? []).filter(isStored);
    const sorts = fields
      .filter((field) => isSortable(field) && field.kind !== "enum")
      .flatMap(({ name }) => [`${name},id`, `-${name},-id`]);
    let pages = 0;
    for (const sort of [...sorts.filter(isDrawn), "-int,-id", "boolean,-int,id"]) {
      await both("GET", `/values?sort=${sort}&limit=7&page=2&count=true`);
      let cursor = "&cursor=";
      for (let page = 0; page < 5; page++) {
        const { body, status } = await both("GET", `/values?sort=${sort}&limit=4&fields=id${cursor}`);
        // Some fields cannot be the place of a cursor.
        if (status !== 200 || body.meta.nextCursor === null) break;
        pages++;
        cursor = `&cursor=${body.meta.nextCursor}`;
      }
    }
    expect(pages).toBeGreaterThan(share < 1 ? 0 : 30);
    for (const sort of ["publisher.name,id", "-publisher.name,id", "publisher.city,-id", "-sequel.title,title,id"])
      await both("GET", `/books?sort=${sort}`);
  });

  it(`${entry} filters and includes relations`, async () => {
    for (const query of [
      "publisher__name__contains=a",
      "publisher__name__icontains=A",
      "not__publisher__name=Alpha",
      "publisher__isNull=true",
      "tags__some__name=a",
      "tags__none__name__istartsWith=A",
      "tags__every__name=a",
      "authorships__some__writer__name__iequals=bob",
      "or__0__title__iequals=ONE&or__1__pages=300",
      "search=one",
      "search=ONE%25",
      "search=100%25",
      "include=publisher,tags,cover,authorships.writer",
      "include=prequels,sequel.publisher&fields=title",
      "include=_count",
      "pages=abc",
      "sort=unknown",
    ])
      await both("GET", `/books?${query}${query.startsWith("sort") ? "" : "&sort=id"}`);
    await both("GET", "/publishers?include=books&sort=-name");
    await both("GET", "/authorships/1,2?include=book,writer");
    await both("GET", "/books/999");
  });

  it(`${entry} writes rows and relations, and rejects values and keys`, async () => {
    for (const [method, path, body] of [
      ["POST", "/publishers", { name: "Alpha" }],
      ["POST", "/books", { title: "x", isbn: "i1" }],
      ["PATCH", "/books/2", { isbn: "i1" }],
      ["POST", "/counters", { id: "1", label: "a", note: "b" }],
      ["POST", "/counters", { id: "2", label: "a", note: "b" }],
      ["POST", "/counters", { id: "3", label: "a" }],
      ["POST", "/counters", { id: "4", label: "a" }],
      ["POST", "/books", { title: "x", publisherId: 99 }],
      ["POST", "/books", { title: "x", seriesOf: 99, publisherId: 1 }],
      ["POST", "/books", { title: "x", seriesOf: 1, publisherId: 99 }],
      ["POST", "/authorships", { bookId: 1, writerId: 99 }],
      ["POST", "/authorships", { bookId: 99, writerId: 1 }],
      ["POST", "/authorships", { bookId: 1, writerId: 1 }],
      ["PATCH", "/books/1", { publisherId: 99, seriesOf: null }],
      ["DELETE", "/publishers/1", undefined],
      ["DELETE", "/writers/2", undefined],
      ["DELETE", "/publishers/999", undefined],
      ["PATCH", "/publishers/999", { city: "x" }],
      ["POST", "/values", { int: 2147483648 }],
      ["POST", "/values", { bigInt: "9223372036854775808" }],
      ["POST", "/values", { string: "a\0" }],
      ["POST", "/values", { size: "HUGE" }],
      ["POST", "/values", { dateTime: "2024-02-30" }],
      ["POST", "/values", { json: null, bytes: "AQ==", boolean: null }],
      ["POST", "/books/many", [{ title: "m1" }, { title: "m2", isbn: "i1" }]],
      ["POST", "/books/many", [{ title: "m1" }, { title: "m2", publisherId: 99 }]],
      [
        "PATCH",
        "/books/many",
        [
          { id: 1, pages: 101 },
          { id: 2, isbn: "i2" },
        ],
      ],
      [
        "PATCH",
        "/books/many",
        [
          { id: 1, pages: 101 },
          { id: 999, pages: 1 },
        ],
      ],
      [
        "PATCH",
        "/books/many",
        [
          { id: 4, pages: 104 },
          { id: 2, subtitle: "many" },
        ],
      ],
      ["DELETE", "/publishers/many", { ids: [1, 2] }],
      ["DELETE", "/books/many", { ids: [5, 999] }],
      ["DELETE", "/books/many", { ids: [5, 2] }],
      ["DELETE", "/books/many?title__icontains=ONE&id__gt=1", undefined],
    ] as const)
      await both(method, path, body);
    await alignIds();
    await both("POST", "/books", { title: "nested", publisher: { name: "New" }, tags: [{ name: "n" }, { name: "a" }] });
    await both("POST", "/books", { title: "p", publisher: { id: 99 } });
    await alignIds();
    await both("POST", "/books", { title: "p", cover: { color: "blue" }, authorships: [{ writerId: 1, share: 2 }] });
    await both("PATCH", "/books/1", { authorships: [{ writerId: 2, share: 5 }] });
    await both("PATCH", "/books/1", { tags: [{ name: "B", $disconnect: true }], cover: { color: "green" } });
    await both("PATCH", "/books/1", { prequels: [{ title: "before" }], publisher: null });
    await both("PATCH", "/books/1", { publisher: { id: 1, name: "gamma" } });
    await both("DELETE", "/books/4");
    for (const list of [
      "books?include=tags,cover&sort=id",
      "covers?sort=bookId",
      "tags?sort=name",
      "publishers?sort=id",
      "authorships?sort=bookId,writerId",
      "counters?sort=id",
    ])
      await both("GET", `/${list}&limit=100`);
    // Neither provider rejects everything.
    expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(60 + 200 * share);
  });

  it(`${entry} aggregates, replaces and exports`, async () => {
    const on = { aggregate: true, upsert: true, export: true } as const;
    const settings = { models: { Book: on, Value: on, Counter: on } };
    const [one, second] = [await postgres.serve(settings), await other.serve(settings)];
    const accepted: number[] = [];
    for (const [method, path, body] of [
      ["GET", "/values/aggregate?groupBy=boolean&count=true&sum=int&min=dateTime&max=string&sort=boolean"],
      ["GET", "/values/aggregate?sum=bigInt&count=true&bigInt__lt=9007199254740994&bigInt__gt=-1"],
      ["GET", "/books/aggregate?groupBy=publisherId&count=true&sort=publisherId"],
      ["PUT", "/counters/77", { label: "put", note: "a" }],
      ["PUT", "/counters/77", { label: "put", note: "b" }],
      [
        "POST",
        "/counters/many?onConflict=id",
        [
          { id: "77", label: "again" },
          { id: "78", label: "new" },
        ],
      ],
      ["POST", "/counters/many?onConflict=id&resolution=ignore", [{ id: "78", label: "ignored" }]],
      ["GET", "/counters?sort=id"],
    ] as const) {
      const [expected, found] = [await one.call(method, path, body), await second.call(method, path, body)];
      assert.deepEqual(shown(found), shown(expected), `${method} ${path}`);
      accepted.push(found.status);
    }
    expect(accepted).toEqual([200, 200, 200, 201, 200, 201, 200, 200]);
  });
}
