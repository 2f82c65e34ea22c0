import path from "node:path";
import { readModels } from "@servicekit/prisma";
import { chooseEngine } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { RowFilter } from "../src/index.js";
import { PrismaClient } from "./generated/blog/client/client.js";
import { models as data } from "./generated/blog/models.js";
import { type Served, serveModels } from "./serve-models.js";

const models = readModels(data);
const at = (json: object) => ({ data: { path: ["team", "name"], ...json } });
/** The row rule of posts; tests replace it. */
let rule: RowFilter = {};

let created: Awaited<ReturnType<typeof createPushedDatabase>>;
beforeAll(async () => {
  created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/blog"));
});
afterAll(() => created?.drop());

describe.each(["auto", "prisma"] as const)("C30 a row rule on a path of a Json field, with the engine %s", (engine) => {
  let client: PrismaClient;
  let served: Served;
  const ids = async (query = ""): Promise<unknown> => {
    const { status, body } = await served.call("GET", `/posts?sort=id&${query}`);
    return status === 200 ? body.data.map(({ id }: { id: number }) => id) : [status, body];
  };

  beforeAll(async () => {
    const adapter = makePostgresAdapter({ url: created.url });
    client = new PrismaClient({ adapter });
    const { executor } = chooseEngine({ client, adapter, models, schema: "public", engine });
    const settings = {
      models: {
        Post: { auth: { where: () => rule }, aggregate: true },
        Author: { auth: { where: () => ({ posts: { every: rule } }) } },
      },
    };
    served = await serveModels(client, models, { models: settings.models }, [], {}, { executor });
  });
  afterAll(async () => {
    await served?.stop();
    await client?.$disconnect();
  });
  beforeEach(async () => {
    served.logged.length = 0;
    await client.$executeRawUnsafe(emptyTables("Post", "Author", "Comment"));
    await client.author.createMany({
      data: [
        { id: 1, email: "a@x" },
        { id: 2, email: "b@x" },
        { id: 3, email: "c@x" },
      ],
    });
    await client.post.createMany({
      data: [
        { id: 1, title: "own", views: 1, authorId: 1, data: { team: { name: "red", size: 3 } } },
        { id: 2, title: "other", views: 2, authorId: 2, data: { team: { name: "blue", size: 5 } } },
        { id: 3, title: "number", views: 4, authorId: 2, data: { team: { name: 1 } } },
        { id: 4, title: "none", views: 8, data: { team: {} } },
        { id: 5, title: "NULL", views: 16 },
        { id: 6, title: "own too", views: 32, authorId: 1, data: { team: { name: "red" } } },
      ],
    });
    await client.$executeRawUnsafe(`SELECT setval(pg_get_serial_sequence('"Post"', 'id'), 100)`);
    await client.comment.createMany({ data: [1, 2].map((postId) => ({ text: `${postId}`, postId })) });
  });

  it.each<readonly [string, RowFilter, readonly number[]]>([
    ["equals", at({ equals: "red" }), [1, 6]],
    ["not, which leaves out rows without the path", at({ not: "red" }), [2, 3]],
    ["a negation", { NOT: at({ equals: "red" }) }, [2, 3]],
    ["AND and OR", { AND: [{ views: { gt: 1 } }, { OR: [at({ equals: "red" }), at({ equals: 1 })] }] }, [3, 6]],
    ["two operators of one path", { data: { path: ["team", "size"], gte: 3, lt: 5 } }, [1]],
    ["a text operator with a mode", at({ string_starts_with: "RE", mode: "insensitive" }), [1, 6]],
  ])("C30 applies %s to lists, rows, counts and aggregates", async (_, filter, expected) => {
    rule = filter;
    expect(await ids()).toEqual(expected);
    const list = await served.call("GET", "/posts");
    expect(list.body.meta.total).toBe(expected.length);
    for (const id of [1, 2, 3, 4, 5, 6])
      expect([id, (await served.call("GET", `/posts/${id}`)).status]).toEqual([id, expected.includes(id) ? 200 : 404]);
    const sum = expected.map((id) => 2 ** (id - 1)).reduce((total, views) => total + views, 0);
    const { status, body } = await served.call("GET", "/posts/aggregate?count=true&sum=views");
    expect([status, body.data]).toEqual([200, [{ count: expected.length, sum: { views: String(sum) } }]]);
    expect(served.logged).toEqual([]);
  });

  it("C30 applies to writes of one row and of many", async () => {
    rule = at({ equals: "red" });
    expect((await served.call("PATCH", "/posts/2", { title: "x" })).status).toBe(404);
    expect((await served.call("DELETE", "/posts/2")).status).toBe(404);
    expect((await served.call("PATCH", "/posts/1", { title: "x" })).status).toBe(200);
    expect((await served.call("PATCH", "/posts/1", { data: { team: { name: "blue" } } })).status).toBe(403);
    expect((await served.call("POST", "/posts", { title: "new", data: {} })).status).toBe(403);
    expect((await served.call("POST", "/posts", { title: "new", data: { team: { name: "red" } } })).status).toBe(201);
    expect((await served.call("PATCH", "/posts/many?views__gt=0", { rating: 5 })).body.meta).toEqual({ count: 2 });
    expect((await served.call("DELETE", "/posts/many", { ids: [1, 2] })).status).toBe(404);
    expect((await served.call("DELETE", "/posts/many?views__gt=0")).body.meta).toEqual({ count: 2 });
    expect((await client.post.findMany({ orderBy: { id: "asc" } })).map(({ id }) => id)).toEqual([
      2,
      3,
      4,
      5,
      expect.any(Number),
    ]);
    expect(served.logged).toEqual([]);
  });

  it("C30 applies through relations, in filters, includes and bodies", async () => {
    rule = at({ equals: "red" });
    const { body } = await served.call("GET", "/comments?include=post&sort=text");
    expect(body.data.map(({ post }: { post: { id: number } | null }) => post?.id ?? null)).toEqual([1, null]);
    const found = await served.call("GET", "/comments?post__views__gt=0");
    expect(found.body.data.map(({ text }: { text: string }) => text)).toEqual(["1"]);
    const authors = await served.call("GET", "/authors?include=posts&sort=id");
    expect(
      authors.body.data.map(({ id, posts }: { id: number; posts: { id: number }[] }) => [id, posts.length]),
    ).toEqual([
      [1, 2],
      [3, 0],
    ]);
    expect((await served.call("POST", "/comments", { text: "x", postId: 2 })).status).toBe(400);
    expect((await served.call("POST", "/comments", { text: "x", postId: 6 })).status).toBe(201);
    expect(served.logged).toEqual([]);
  });

  it.each<readonly [RowFilter, RegExp]>([
    [{ data: { path: ["team"] } }, /a path of data without an operator/],
    [{ data: { path: ["team"], equals: undefined } }, /undefined in data/],
    [{ data: { path: "$.team", equals: 1 } }, /a path of data that is not a list of texts/],
    [{ data: { path: [], equals: 1 } }, /a path of data that is not a list of texts/],
  ])("C30 rejects the rule %j with a reason, and shows no row", async (filter, reason) => {
    rule = filter;
    expect((await served.call("GET", "/posts")).status).toBe(500);
    expect(served.logged.map(String)).toEqual([expect.stringMatching(reason)]);
  });
});
