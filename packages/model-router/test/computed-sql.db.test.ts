import { inspect } from "node:util";
import { chooseEngine } from "@servicekit/prisma/internal";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from "vitest";
import { z } from "zod";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

const percent = "%' OR 1 = 1 --";

const computed: NonNullable<ModelConfig["computed"]> = {
  worth: {
    type: z.number().nullable(),
    needs: ["price", "pages"],
    compute: ({ price, pages }) => (price === null || pages === null ? null : (Number(price) * Number(pages)) / 2),
    sql: ({ column, sql }) => sql`${column("price")} * ${column("pages")} / ${2}`,
  },
  heading: {
    type: z.string(),
    needs: ["title", "pages"],
    compute: ({ title, pages }) => `${title} (${pages ?? "?"})${percent}`,
    sql: ({ column, sql }) => {
      const pages = sql`coalesce(${column("pages")}::text, ${"?"})`;
      return sql`${column("title")} || ' (' || ${pages} || ')' || ${percent}`;
    },
  },
  isLong: {
    type: z.boolean(),
    needs: ["pages"],
    compute: ({ pages }) => pages !== null && Number(pages) > 150,
    sql: ({ column, sql }) => sql`coalesce(${column("pages")} > ${150}, ${false})`,
  },
  due: {
    type: z.iso.datetime().nullable(),
    needs: ["publishedAt"],
    compute: ({ publishedAt }) =>
      publishedAt === null ? null : new Date((publishedAt as Date).getTime() + 86_400_000).toISOString(),
    sql: ({ column, sql }) => sql`${column("publishedAt")} + interval '1 day'`,
  },
  /** Without SQL. */
  plain: { type: z.string(), needs: ["title"], compute: ({ title }) => String(title) },
};
const Book: ModelConfig = { computed, aggregate: true, export: true };

interface BookRow {
  readonly id: number;
  readonly worth: number | null;
  readonly heading: string;
  readonly isLong: boolean;
  readonly due: string | null;
}
type Value = string | number | boolean | null;

/** Whether a value matches a condition, as in SQL: independent of the code under test. */
function matches(value: Value, operator: string, operand: string): boolean {
  if (operator === "isNull") return (value === null) === (operand === "true");
  if (value === null) return false;
  const values = operator === "in" || operator === "notIn" ? operand.split(",") : [operand];
  const order = (one: string): number =>
    typeof value === "number"
      ? value - Number(one)
      : typeof value === "boolean"
        ? Number(value) - Number(one === "true")
        : /^\d{4}-/.test(one)
          ? new Date(value).getTime() - new Date(one).getTime()
          : value === one
            ? 0
            : 1;
  const [first = ""] = values;
  const text = String(value);
  switch (operator) {
    case "equals":
    case "in":
      return values.some((one) => order(one) === 0);
    case "not":
    case "notIn":
      return values.every((one) => order(one) !== 0);
    case "lt":
      return order(first) < 0;
    case "lte":
      return order(first) <= 0;
    case "gt":
      return order(first) > 0;
    case "gte":
      return order(first) >= 0;
    case "contains":
      return text.includes(first);
    case "icontains":
      return text.toLowerCase().includes(first.toLowerCase());
    case "startsWith":
      return text.startsWith(first);
    case "endsWith":
      return text.endsWith(first);
    default:
      throw new Error(operator);
  }
}

const numbers = ["-1", "0", "500", "1000.5", "10", "24997.5", "1e3"];
const texts = ["One (100)", "o", "(", "%", "' OR", "FIVE", `Two (200)${percent}`, "_", "\\"];
const dates = ["2001-01-02T00:00:00.000Z", "2000-01-01T00:00:00.000Z", "2002-01-02T00:00:00Z", "1999-01-01T00:00:00Z"];
const compared = ["equals", "not", "in", "notIn", "lt", "lte", "gt", "gte"];
const condition = fc.oneof(
  fc.tuple(fc.constant("worth"), fc.constantFrom(...compared), fc.constantFrom(...numbers)),
  fc.tuple(fc.constant("due"), fc.constantFrom(...compared), fc.constantFrom(...dates)),
  fc.tuple(fc.constantFrom("worth", "due"), fc.constant("isNull"), fc.constantFrom("true", "false")),
  fc.tuple(fc.constant("isLong"), fc.constantFrom("equals", "not"), fc.constantFrom("true", "false")),
  fc.tuple(
    fc.constant("heading"),
    fc.constantFrom("equals", "not", "in", "contains", "icontains", "startsWith", "endsWith"),
    fc.constantFrom(...texts),
  ),
) as fc.Arbitrary<[keyof BookRow, string, string]>;

describe.each(["auto", "prisma"] as const)("C102 computed fields with SQL and the engine %s", (engine) => {
  let world: World;
  let open: Guarded;
  beforeAll(async () => {
    world = await makeWorld(inject("postgresUrl"), (client, models) => {
      const adapter = adapterOf(client);
      return { executor: chooseEngine({ client, adapter, models, schema: "public", engine }).executor };
    });
    open = await world.serve({ models: { Book } });
    await seed();
  });
  afterAll(() => world?.close());
  beforeEach(() => {
    open.logged.length = 0;
  });
  const seed = async (): Promise<void> => {
    await world.sql(emptyTables("Publisher", "Book", "Cover", "Tag", "_BookToTag", "Writer", "Authorship", "Payment"));
    await seedWorld(world, {
      ...{ secret: "s", score: "1.5", subtitle: "'sub'", writer: "", share: "50" },
      outside: [],
    });
  };
  const get = async (path: string, who?: Who, service = open) => {
    const { status, text } = await service.call("GET", path, undefined, who);
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
    return { status, body: JSON.parse(text) as any };
  };
  const ids = async (query: string, who?: Who, service = open): Promise<unknown> => {
    const { status, body } = await get(`/books?fields=id&${query}`, who, service);
    return status === 200 ? body.data.map(({ id }: { id: number }) => id) : [status, body.errors];
  };
  const q = encodeURIComponent;

  it("C102 finds the rows whose computed values match, for generated filters", async () => {
    const rows = (await get("/books?sort=id")).body.data as BookRow[];
    expect(rows.map(({ worth }) => worth)).toEqual([500, null, null, 0, 24_997.5, 500]);
    await fc.assert(
      fc.asyncProperty(
        fc.array(condition, { minLength: 1, maxLength: 3 }),
        fc.constantFrom("and", "or"),
        fc.boolean(),
        async (conditions, word, isNegated) => {
          const query = conditions.map(
            ([field, operator, operand], at) =>
              `${isNegated ? "not[" : ""}${word}${isNegated ? "]" : ""}[${at}][${field}][${operator}]=${q(operand)}`,
          );
          const test = (row: BookRow): boolean | undefined => {
            const one = ([field, operator, operand]: (typeof conditions)[number]): boolean | undefined =>
              row[field] === null && operator !== "isNull" ? undefined : matches(row[field], operator, operand);
            const all = conditions.map(one);
            const decisive = word === "or";
            return all.includes(decisive) ? decisive : all.includes(undefined) ? undefined : !decisive;
          };
          const expected = rows.filter((row) => test(row) === !isNegated).map(({ id }) => id);
          const found = await get(`/books?fields=id&sort=id&${query.join("&")}`);
          expect([found.status, found.body.data?.map(({ id }: BookRow) => id), found.body.meta?.total]).toEqual([
            200,
            expected,
            expected.length,
          ]);
        },
      ),
      { numRuns: 60 },
    );
    expect(open.logged).toEqual([]);
  });

  it("C102 sorts by computed values, with other keys, in pages and through relations", async () => {
    expect(await ids("sort=worth,-id")).toEqual([4, 6, 1, 5, 3, 2]);
    expect(await ids("sort=-worth,id&worth__isNull=false")).toEqual([5, 1, 6, 4]);
    expect(await ids("sort=-worth,id&worth__isNull=false&limit=2&page=2")).toEqual([6, 4]);
    expect(await ids("sort=isLong,due,id&pages__isNull=false")).toEqual([1, 6, 5, 2, 4]);
    const covers = await get("/covers?sort=-book.worth&fields=color&include=book");
    expect(covers.body.data.map(({ book }: { book: { id: number } }) => book.id)).toEqual([2, 5, 1]);
    expect((await get("/covers?book__worth__gt=600&fields=color")).body.data).toEqual([{ color: "red" }]);
    expect((await get("/publishers?books__some__heading__startsWith=FIVE&fields=id")).body.data).toEqual([{ id: 3 }]);
  });

  it("C102 C98 aggregates the rows that match, and rejects a computed field as a group or measure", async () => {
    const { body } = await get("/books/aggregate?count=true&sum=pages&worth__gte=500");
    expect(body.data).toEqual([{ count: 3, sum: { pages: "700" } }]);
    for (const query of ["groupBy=worth&count=true", "sum=worth", "count=true&groupBy=heading"])
      expect([query, (await get(`/books/aggregate?${query}`)).status]).toEqual([query, 400]);
  });

  it("C102 C14 changes and deletes the rows that match", async () => {
    onTestFinished(seed);
    const changed = await open.call("PATCH", "/books/many?worth__gte=500", { subtitle: "new" });
    expect(JSON.parse(changed.text).data.map(({ id }: BookRow) => id)).toEqual([1, 5, 6]);
    // The change of a row that the filter compares.
    const moved = await open.call("PATCH", "/books/many?isLong=false&worth__gt=0", { pages: 300 });
    expect(JSON.parse(moved.text).data.map(({ id, isLong }: BookRow) => [id, isLong])).toEqual([
      [1, true],
      [6, true],
    ]);
    await world.sql(`DELETE FROM "Payment"`);
    expect(JSON.parse((await open.call("DELETE", "/books/many?heading__icontains=four")).text).meta.count).toBe(1);
    expect(await ids("sort=id")).toEqual([1, 2, 3, 5, 6]);
    expect(open.logged).toEqual([]);
  });

  it("C102 C104 exports rows in the order of a computed field", async () => {
    const { text } = await open.call(
      "GET",
      "/books?sort=-worth,id&fields=id&worth__isNull=false",
      undefined,
      undefined,
      {
        accept: "text/csv",
      },
    );
    expect(text.trim().split(/\r?\n/)).toEqual(["id", "5", "1", "6", "4"]);
  });

  it.each([
    ["cursor=&sort=worth", "cursor"],
    ["worth=many", "worth"],
    ["worth__contains=1", "worth__contains"],
    ["isLong__gt=true", "isLong__gt"],
    ["plain=x", "plain"],
    ["sort=plain", "sort"],
    ["heading__equals__x=1", "heading__equals__x"],
    ["worth=1e999", "worth"],
    ["due=yesterday", "due"],
  ])("C102 rejects %s with a 400 that names the parameter", async (query, parameter) => {
    const { status, body } = await get(`/books?${query}`);
    expect([status, body.errors?.map(({ path }: { path: string }) => path)]).toEqual([400, [`/${parameter}`]]);
    expect(open.logged).toEqual([]);
  });

  it("C102 sends values and operands as parameters", async () => {
    const statements = await world.statements(async () => {
      for (const operand of [`'; DROP TABLE "Book"; --`, "$1", "\\", percent])
        expect(await ids(`heading=${q(operand)}`)).toEqual([]);
      expect(await ids(`heading__endsWith=${q(percent)}&sort=id`)).toEqual([1, 2, 3, 4, 5, 6]);
    });
    expect(statements.join("\n")).not.toMatch(/DROP|OR 1 = 1/);
  });

  it("C102 C11 is not in filters and orders of callers who may not read a needed field", async () => {
    const fields = { "*": ["id", "title", "pages", "heading", "isLong"], editor: ["price", "worth"] };
    const auth: ModelConfig["auth"] = {
      read: { rule: ["editor", "reader"] },
      fields: { ...fields, reader: ["worth"] },
    };
    const Cover: ModelConfig = { auth: { read: { rule: ["editor", "reader"] } } };
    const service = await world.serve({ models: { Book: { ...Book, auth }, Cover } }, true);
    for (const who of [["editor"], "root"] as const)
      expect([who, await ids("worth__gt=600", who, service)]).toEqual([who, [5]]);
    // A reader sees the value, but not the price in it.
    expect((await get("/books/5", ["reader"], service)).body.data).toMatchObject({ worth: 24_997.5 });
    for (const query of ["worth__gt=600", "sort=worth", "or[0][worth]=1&or[1][id]=1"])
      expect([query, (await get(`/books?${query}`, ["reader"], service)).status]).toEqual([query, 400]);
    expect((await get("/covers?book__worth__gt=600", ["reader"], service)).status).toBe(400);
    expect(await ids("heading__startsWith=One&sort=-heading", ["reader"], service)).toHaveLength(2);
    const hidden = await world.serve({ models: { Book: { ...Book, hidden: ["price"] } } });
    expect((await get("/books?worth=500", undefined, hidden)).status).toBe(400);
    expect((await get("/books/1", undefined, hidden)).body.data.worth).toBe(500);
    const omitted = await world.serve({
      models: { Book: { ...Book, query: { findMany: { omit: { worth: true } } } } },
    });
    expect((await get("/books?worth=500", undefined, omitted)).status).toBe(400);
  });

  it("C102 C17 a read is a 500 with a log if the SQL fails for a row, and the response does not contain its text", async () => {
    const perPage: NonNullable<ModelConfig["computed"]> = {
      perPage: {
        type: z.number().nullable(),
        needs: ["price", "pages"],
        compute: ({ price, pages }) => (pages === null ? null : Number(price) / Number(pages)),
        sql: ({ column, sql }) => sql`${column("price")} / (${column("pages")} - ${column("pages")})`,
      },
    };
    const service = await world.serve({ models: { Book: { computed: perPage, aggregate: true } } });
    for (const path of ["/books?perPage__gt=1", "/books?sort=perPage", "/books/aggregate?count=true&perPage__gt=1"]) {
      service.logged.length = 0;
      const { status, body } = await get(path, undefined, service);
      expect([path, status, JSON.stringify(body)]).toEqual([path, 500, expect.not.stringContaining("zero")]);
      expect(inspect(service.logged, { depth: 9 })).toContain("division by zero");
    }
  });

  it("C102 C30 combines with row rules, and is rejected inside of them", async () => {
    const auth: ModelConfig["auth"] = { all: { rule: ["*"] }, where: () => ({ publisherId: 1 }) };
    const service = await world.serve({ models: { Book: { ...Book, auth } } }, true);
    expect(await ids("worth__gte=0&sort=id", ["a"], service)).toEqual([1, 6]);
    expect(await ids("not[worth__gt=600]", ["a"], service)).toEqual([400, expect.anything()]);
    expect(await ids("not[worth__gt]=600&sort=id", ["a"], service)).toEqual([1, 6]);
    const ruled = await world.serve(
      { models: { Book: { ...Book, auth: { ...auth, where: () => ({ worth: 1 }) } } } },
      true,
    );
    expect((await get("/books", ["a"], ruled)).status).toBe(500);
    expect(String(ruled.logged[0])).toMatch(/the computed field worth: use the stored fields that it needs/);
  });
});

describe("C102 the configuration of computed fields with SQL", () => {
  let world: World;
  beforeAll(async () => {
    world = await makeWorld(inject("postgresUrl"));
  });
  afterAll(() => world?.close());

  const start = (worth: object) =>
    world.serve({
      models: { Book: { computed: { worth: { ...computed.worth, ...worth } } } },
    } as unknown as Partial<ModelRouterSettings>);

  it.each<readonly [string, object, RegExp]>([
    [
      "a column that is not needed",
      { sql: ({ column, sql }: never) => (sql as never as typeof tag)`${(column as (name: string) => never)("id")}` },
      /The column id is not in needs: price, pages/,
    ],
    ["a text in place of the template", { sql: () => "price * 2" }, /Return the result of the template sql/],
    [
      "the template as a function",
      { sql: ({ sql }: { sql: (text: unknown) => unknown }) => sql(["price"]) },
      /Use sql as a template/,
    ],
    ["an object in the template", { sql: ({ sql }: { sql: typeof tag }) => sql`${{} as never}` }, /takes no object/],
    ["several statements", { sql: ({ sql }: { sql: typeof tag }) => sql`1; DROP TABLE "Book"` }, /contains no ;/],
    ["a comment", { sql: ({ sql }: { sql: typeof tag }) => sql`1 -- one` }, /contains no --/],
    ["a type without an order", { type: z.object({}) }, /worth has no order/],
    [
      "a function that throws",
      {
        sql: () => {
          throw new Error("no reason");
        },
      },
      /no reason/,
    ],
  ])("C102 %s prevents startup", async (_, worth, reason) => {
    const started = start(worth);
    await expect(started).rejects.toThrow(reason);
    await expect(started).rejects.toThrow("models.Book.computed.worth.sql");
  });

  it("C102 sql without compute prevents startup", async () => {
    const Only = { computed: { worth: { type: z.number(), sql: computed.worth?.sql } } };
    await expect((async () => world.serve({ models: { Book: Only } } as never))()).rejects.toThrow(
      /Add needs and compute/,
    );
  });
});

declare const tag: (texts: TemplateStringsArray, ...parts: never[]) => never;
