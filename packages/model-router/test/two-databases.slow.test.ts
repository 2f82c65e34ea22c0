import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { type Guarded, makeWorld, type RawResponse, type Who, type World } from "./guarded.js";
import { type Asked, computedFields, type Differing, reads, seedWorld, writes } from "./two-databases.js";

/** Times 10 requests of each property. `TWO_WORLDS_RUNS=2000` runs more. */
const runs = Number(process.env.TWO_WORLDS_RUNS ?? 32);
const immediately = 10;

type Models = Readonly<Record<string, ModelConfig>>;
/** Timestamps differ between the databases. */
const stamps = ["createdAt", "updatedAt"];

const plain: Differing = { secret: "s", score: "1.5", subtitle: "NULL", writer: "", share: "60", outside: [] };
const otherValues: Differing = {
  secret: "t",
  score: "NULL",
  subtitle: "'other'",
  writer: "Zz",
  share: "7",
  outside: [],
};

const hiddenFromAll: Models = {
  Publisher: {},
  Book: { hidden: ["score", "subtitle", ...stamps] },
  Writer: { hidden: ["name"] },
  Authorship: { hidden: ["share"] },
};

const all = (names: string): readonly string[] => names.split(" ");
const hiddenByRole: Models = {
  Book: {
    hidden: stamps,
    auth: {
      fields: {
        "*": all("id title isbn pages price publishedAt size publisherId seriesOf"),
        reader: all("publisher sequel prequels cover tags authorships"),
        boss: all("score subtitle"),
      },
    },
  },
  Writer: { auth: { fields: { "*": all("id authorships"), boss: ["name"] } } },
  Authorship: { auth: { fields: { "*": all("bookId writerId book writer payments"), boss: ["share"] } } },
};

/** Fields of visible values are shown, others not; the review has a rule of its own that names only one role. */
const computedByRole: Models = {
  ...hiddenByRole,
  Publisher: { computed: computedFields.Publisher },
  Book: {
    ...hiddenByRole.Book,
    computed: computedFields.Book,
    auth: {
      fields: {
        ...hiddenByRole.Book?.auth?.fields,
        boss: [...(hiddenByRole.Book?.auth?.fields?.boss ?? []), "review"],
      },
    },
  },
  Writer: { ...hiddenByRole.Writer, computed: computedFields.Writer },
};

const rows: Models = {
  Publisher: { auth: { where: () => ({ city: "Bern" }) } },
  Book: { hidden: stamps, auth: { where: async () => ({ OR: [{ price: { gt: 5 } }, { pages: { lt: 300 } }] }) } },
  Cover: { auth: { where: () => ({ color: "red" }) } },
  Tag: { auth: { where: () => ({ NOT: { name: { in: ["z", "y"] } } }) } },
  Writer: { auth: { where: () => ({ authorships: { some: { share: { gte: 50 } } }, name: { not: "Xavier" } }) } },
  Authorship: { auth: { where: () => ({ share: { gte: 50 } }) } },
  Payment: { auth: { where: () => ({ authorship: { is: { writer: { isNot: { name: "Xavier" } } } } }) } },
};

/** Forbidden rows: with the same ids where permitted rows reference them, and any others. */
const outsideOne = [
  `INSERT INTO "Book" (id, title, pages, price, size, "publisherId", "seriesOf", isbn, "updatedAt") VALUES
    (7, 'Seven', 700, 1, 'XL', 1, 1, 'i7', now()), (8, 'Eight', NULL, NULL, NULL, 2, 3, NULL, now())`,
  `INSERT INTO "Writer" (id, name) VALUES (4, 'Xavier'), (5, 'Eve')`,
  `INSERT INTO "Authorship" ("bookId", "writerId", share) VALUES (1, 4, 49), (1, 2, 1)`,
  `INSERT INTO "Payment" (id, amount, "bookId", "writerId") VALUES (5, 55, 1, 4)`,
  `INSERT INTO "Tag" (name) VALUES ('z')`,
  `INSERT INTO "_BookToTag" ("A", "B") VALUES (1, 'z'), (7, 'a'), (7, 'z')`,
];
const outsideTwo = [
  `UPDATE "Publisher" SET city = 'Oslo', "full name" = 'Omega' WHERE id = 2`,
  `UPDATE "Publisher" SET city = NULL, "full name" = 'One' WHERE id = 3`,
  `UPDATE "Book" SET title = 'Quatre', pages = 444, size = 'MEDIUM', "publisherId" = 1, "seriesOf" = 5 WHERE id = 4`,
  `UPDATE "Cover" SET color = 'green' WHERE "bookId" = 2`,
  `INSERT INTO "Book" (id, title, pages, price, "publisherId", "updatedAt") VALUES (9, 'One', 999, 5, 1, now())`,
  `INSERT INTO "Writer" (id, name) VALUES (4, 'Xavier')`,
  `INSERT INTO "Authorship" ("bookId", "writerId", share) VALUES (3, 1, 2)`,
];

describe("two databases give the same responses, byte for byte", () => {
  let first: World;
  let second: World;
  let third: World;
  let fourth: World;

  beforeAll(async () => {
    const url = inject("postgresUrl");
    [first, second, third, fourth] = await Promise.all([
      makeWorld(url),
      makeWorld(url),
      makeWorld(url),
      makeWorld(url),
    ]);
    await seedWorld(first, plain);
    await seedWorld(second, otherValues);
    await seedWorld(third, { ...plain, outside: outsideOne });
    await seedWorld(fourth, { ...plain, outside: outsideTwo });
  });
  afterAll(() => Promise.all([first, second, third, fourth].map((database) => database.close())));

  it("C11 if they differ in hidden values", async () => {
    await compare(await serveBoth([first, second], { models: hiddenFromAll }), undefined);
  });

  it("C30 if they differ in fields outside a role's list", async () => {
    const pair = await serveBoth([first, second], { models: hiddenByRole });
    await compare(pair, ["reader"]);
    await compare(pair, undefined, Math.ceil(runs / 5));
  });

  it("C102 if they differ in fields outside a role's list, which computed fields need", async () => {
    const pair = await serveBoth([first, second], { models: computedByRole });
    await compare(pair, ["reader"]);
    await compare(pair, undefined, Math.ceil(runs / 5));
  });

  it("C30 if they differ in rows outside the row rules", async () => {
    await compare(await serveBoth([third, fourth], { models: rows }), undefined);
  });

  it("C30 if they differ in rows of models that the caller may not view", async () => {
    const closed = { auth: { findMany: ["boss"], findOne: false } } as const;
    const open = { auth: Object.fromEntries(operations.map((name) => [name, false])) };
    const models = Object.fromEntries(Object.keys(rows).map((name) => [name, open] as const));
    const complete: Models = {
      ...models,
      Book: { ...open, hidden: [...stamps, "score", "subtitle"] },
      Writer: closed,
      Authorship: closed,
    };
    await compare(
      await serveBoth([first, second], { models: complete }, true),
      ["reader"],
      Math.ceil(runs / 2),
      notOf("writers", "authorships"),
    );
  });
});

const operations = [
  "findMany",
  "findOne",
  "createOne",
  "createMany",
  "updateOne",
  "updateMany",
  "deleteOne",
  "deleteMany",
];
const notOf =
  (...paths: readonly string[]) =>
  (requested: Asked): boolean =>
    !paths.some((path) => requested.path.startsWith(`/${path}`));

const serveBoth = (databases: readonly World[], settings: Partial<ModelRouterSettings>, isSignedIn = false) =>
  Promise.all(databases.map((database) => database.serve(settings, isSignedIn)));

async function compare(
  services: readonly Guarded[],
  who: Who,
  count = runs,
  fits: (requested: Asked) => boolean = () => true,
): Promise<void> {
  const seen = { requested: 0, good: 0, cursors: 0 };
  const check = async ({ method, path, body }: Asked): Promise<RawResponse> => {
    const [one, two] = await Promise.all(services.map((service) => service.call(method, path, body, who)));
    if (one === undefined || two === undefined) throw new Error("There are two worlds.");
    seen.requested++;
    if (one.status < 300) seen.good++;
    expect(two, `${method} ${path} ${JSON.stringify(body)}`).toEqual(one);
    expect(one.status, `${method} ${path} ${JSON.stringify(body)}: ${one.text}`).toBeLessThan(500);
    return one;
  };
  const some = fc.array(reads.filter(fits), { minLength: immediately, maxLength: immediately });
  await fc.assert(
    fc.asyncProperty(some, async (batch) => {
      await Promise.all(
        batch.map(async (requested) => {
          let { status, text } = await check(requested);
          for (let page = 0; page < 3 && status === 200 && requested.path.includes("cursor="); page++) {
            const cursor = (JSON.parse(text) as { meta?: { nextCursor?: string } }).meta?.nextCursor;
            if (typeof cursor !== "string") break;
            seen.cursors++;
            ({ status, text } = await check({
              ...requested,
              path: requested.path.replace("cursor=", `cursor=${cursor}`),
            }));
          }
        }),
      );
    }),
    { numRuns: count, endOnFailure: false },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(writes.filter(fits), { minLength: 5, maxLength: 5 }), async (batch) => {
      for (const requested of batch) await check(requested);
    }),
    { numRuns: Math.ceil(count / 2), endOnFailure: false },
  );
  for (const { logged } of services) expect(logged).toEqual([]);
  expect(seen.good / seen.requested).toBeGreaterThan(0.05);
  if (process.env.TWO_WORLDS_RUNS !== undefined) console.info(seen);
}
