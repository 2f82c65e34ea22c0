import { readModels } from "@servicekit/prisma";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { ModelConfig } from "../src/index.js";
import { type Blog, startBlog, withPost } from "./blog.js";
import { models as data } from "./generated/blog/models.js";
import { type Served, serveModels } from "./serve-models.js";

const Author: ModelConfig = {
  computed: {
    label: {
      type: z.string().describe("The name with the address."),
      needs: ["name", "email"],
      compute: ({ name, email }) => `${name} <${email}>`,
    },
    /** Of a hidden field. */
    hasNote: { type: z.boolean(), needs: ["note"], compute: ({ note }) => note !== null },
    kind: { type: z.literal("author"), needs: [], compute: () => "author" as const },
  },
};
const Post: ModelConfig = {
  computed: {
    isPopular: { type: z.boolean(), needs: ["views"], compute: ({ views }) => Number(views) >= 100 },
    total: {
      type: z.string().nullable(),
      needs: ["price", "big", "createdAt"],
      compute: ({ price, big, createdAt }) =>
        big === null ? null : `${price} ${big} ${(createdAt as Date).toISOString()}`,
    },
  },
};

let blog: Blog;
let call: Served["call"];
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"), {
    models: { Author: { ...Author, upsert: true, aggregate: true }, Post: { ...Post, aggregate: true } },
    allowDangerousOrmQueryOptions: true,
  });
  ({ call } = blog);
  await blog.client.author.createMany({
    data: [
      { email: "a@x", name: "Ann", note: "n" },
      { email: "b@x", name: "Bob" },
    ],
  });
  await blog.client.post.createMany({
    data: [
      { title: "One", views: 100, price: "1.50", big: 7n, authorId: 1, createdAt: new Date(0) },
      { title: "Two", views: 3, authorId: 1, createdAt: new Date(0) },
      { title: "Three", createdAt: new Date(0) },
    ],
  });
  await blog.client.comment.create({ data: { text: "c", postId: 1 } });
});
afterAll(() => blog?.close());

const ann = { id: 1, email: "a@x", name: "Ann", label: "Ann <a@x>", hasNote: true, kind: "author" };
const total = "1.5 7 1970-01-01T00:00:00.000Z";

describe("C102 computed fields are part of rows", () => {
  it("in lists and reads of one row", async () => {
    const { body } = await call("GET", "/authors");
    expect(body.data).toEqual([
      ann,
      { id: 2, email: "b@x", name: "Bob", label: "Bob <b@x>", hasNote: false, kind: "author" },
    ]);
    expect(JSON.stringify(body.data[0])).toBe(JSON.stringify(ann));
    expect((await call("GET", "/authors/1")).body.data).toEqual(ann);
  });

  it("in included rows at any depth", async () => {
    const { body } = await call("GET", "/comments?include=post.author.posts");
    const { post } = body.data[0];
    expect([post.isPopular, post.total]).toEqual([true, total]);
    expect(post.author).toMatchObject(ann);
    expect(post.author.posts.map((one: { isPopular: boolean }) => one.isPopular)).toEqual([true, false]);
  });

  it("if fields names them, without the fields that they need", async () => {
    const dataOf = async (query: string) => (await call("GET", query)).body.data;
    expect(await dataOf("/authors/1?fields=label")).toEqual({ label: "Ann <a@x>" });
    expect(await dataOf("/authors/1?fields=id,hasNote")).toEqual({ id: 1, hasNote: true });
    expect(await dataOf("/authors/1?fields=kind")).toEqual({ kind: "author" });
    expect(await dataOf("/authors?fields=kind&sort=-id&cursor=&limit=1")).toEqual([{ kind: "author" }]);
    expect(await dataOf("/authors/1?fields=-label,-kind,-hasNote")).toEqual({ id: 1, email: "a@x", name: "Ann" });
    expect(await dataOf("/posts/1?fields=title&include=author")).toEqual({ title: "One", author: ann });
    const options = encodeURIComponent(
      JSON.stringify({ select: { label: true, posts: { select: { isPopular: true }, take: 1 } } }),
    );
    expect(await dataOf(`/authors/1?prismaQueryOptions=${options}`)).toEqual({
      label: ann.label,
      posts: [{ isPopular: true }],
    });
    const omit = encodeURIComponent(JSON.stringify({ omit: { label: true, kind: true, email: true } }));
    expect(await dataOf(`/authors/1?prismaQueryOptions=${omit}`)).toEqual({ id: 1, name: "Ann", hasNote: true });
  });

  it("in the responses of writes", async () => {
    const made = await call("POST", "/authors", { email: "c@x", name: "Cid" });
    expect([made.status, made.body.data.label, made.body.data.hasNote]).toEqual([201, "Cid <c@x>", false]);
    const { id } = made.body.data;
    const dataOf = async (method: string, path: string, body: unknown) => (await call(method, path, body)).body.data;
    expect((await dataOf("PATCH", `/authors/${id}`, { name: "Carl" })).label).toBe("Carl <c@x>");
    expect((await dataOf("PATCH", "/authors/many", [{ id, name: "C" }]))[0].label).toBe("C <c@x>");
    expect((await dataOf("PATCH", "/authors/many?email=c@x", { name: "D" }))[0].label).toBe("D <c@x>");
    expect((await dataOf("PUT", `/authors/${id}`, { email: "e@x", name: "E" })).label).toBe("E <e@x>");
    const bulk = [
      { email: "f@x", name: "F" },
      { email: "g@x", name: "G" },
    ];
    const labels = (rows: readonly { readonly label: string }[]) => rows.map(({ label }) => label);
    expect(labels(await dataOf("POST", "/authors/many", bulk))).toEqual(["F <f@x>", "G <g@x>"]);
    const upserts = [
      { email: "g@x", name: "H" },
      { email: "i@x", name: "I" },
    ];
    const path = "/authors/many?onConflict=email";
    expect(labels(await dataOf("POST", path, upserts))).toEqual(["H <g@x>", "I <i@x>"]);
    expect(labels(await dataOf("POST", `${path}&resolution=ignore`, [{ email: "g@x", name: "J" }]))).toEqual([
      "H <g@x>",
    ]);
    const post = await dataOf("POST", "/posts", { title: "P", views: 200, author: { id } });
    expect([post.isPopular, post.total]).toEqual([true, null]);
    await call("DELETE", `/posts/${post.id}`);
    expect((await call("DELETE", "/authors/many", { ids: [String(id)] })).body.meta).toEqual({ count: 1 });
    expect((await call("DELETE", "/authors/many?email__in=f@x,g@x,i@x")).body.meta).toEqual({ count: 3 });
  });
});

describe("C102 computed fields are read-only", () => {
  it.each([
    ["POST", "/authors", { email: "z@x", label: "L" }, "/label"],
    ["PATCH", "/authors/1", { label: "L" }, "/label"],
    ["PATCH", "/authors/many", [{ id: 1, label: "L" }], "/0/label"],
    ["PUT", "/authors/1", { email: "a@x", label: "L" }, "/label"],
  ] as const)("%s %s with one is 400", async (method, path, body, place) => {
    const { status, body: problem } = await call(method, path, body);
    expect([status, problem.errors?.[0]?.path]).toEqual([400, place]);
  });

  it.each([
    ["authors?label=x", "/label"],
    ["authors?label[contains]=x", "/label[contains]"],
    ["authors?or[0][label]=x", "/or[0][label]"],
    ["posts?author__label=x", "/author__label"],
    ["authors?sort=label", "/sort"],
    ["posts?sort=author.label", "/sort"],
    ["authors/aggregate?groupBy=label", "/groupBy"],
    ["posts/aggregate?groupBy=author.label", "/groupBy"],
    ["authors/aggregate?max=label", "/max"],
    [`authors?prismaQueryOptions=${encodeURIComponent('{"where":{"label":"x"}}')}`, "/prismaQueryOptions"],
    [`authors?prismaQueryOptions=${encodeURIComponent('{"orderBy":{"label":"asc"}}')}`, "/prismaQueryOptions"],
  ])("%s is 400 and names the field", async (path, place) => {
    const { status, body } = await call("GET", `/${path}`);
    expect([status, body.errors?.[0]?.path, body.detail]).toEqual([
      400,
      place,
      expect.stringContaining(
        "label of Author is a computed field, which cannot be used in filters, orders or aggregates.",
      ),
    ]);
  });

  it("are not relations, and search ignores them", async () => {
    const { body } = await call("GET", "/authors?include=label");
    expect(body.errors[0].message).toBe("label is a field of Author, not a relation.");
    expect((await call("GET", "/authors?search=author")).body.data).toEqual([]);
  });
});

it("C102 computed fields that a default selection excludes are not shown in that read, by any parameter", async () => {
  const served = await serveModels(blog.client, readModels(data), {
    models: { Author: { ...Author, query: { findMany: { select: { id: true, name: true, kind: true } } } } },
    allowDangerousOrmQueryOptions: true,
  });
  try {
    expect((await served.call("GET", "/authors/1")).body.data).toEqual(ann);
    expect((await served.call("GET", "/authors")).body.data[0]).toEqual({ id: 1, name: "Ann", kind: "author" });
    const options = (select: object): string => `prismaQueryOptions=${encodeURIComponent(JSON.stringify({ select }))}`;
    const messages: unknown[] = [];
    for (const name of ["label", "email", "posts", "labl"])
      for (const query of [`fields=${name}`, options({ [name]: true })]) {
        const { status, body } = await served.call("GET", `/authors?${query}`);
        messages.push([status, body.errors?.[0].message]);
      }
    expect(messages).toMatchInlineSnapshot(`
      [
        [
          400,
          "label of Author is not shown here.",
        ],
        [
          400,
          "prismaQueryOptions.select.label: label of Author is not shown here.",
        ],
        [
          400,
          "email of Author is not shown here.",
        ],
        [
          400,
          "prismaQueryOptions.select.email: email of Author is not shown here.",
        ],
        [
          400,
          "posts is a relation of Author, not a field.",
        ],
        [
          400,
          "prismaQueryOptions.select.posts: posts of Author is not shown here.",
        ],
        [
          400,
          "Author has no field labl.",
        ],
        [
          400,
          "prismaQueryOptions.select.labl: Author has no field labl.",
        ],
      ]
    `);
  } finally {
    await served.stop();
  }
});

describe("C102 conditional requests", () => {
  it("have a tag that changes with the computed values, also by a hidden field", async () => {
    const tag = async () => (await call("GET", "/authors/2")).headers.get("etag");
    const before = await tag();
    expect(before).toMatch(/^"/);
    expect(await tag()).toBe(before);
    await blog.client.author.update({ where: { id: 2 }, data: { note: "hidden" } });
    const after = await tag();
    expect(after).not.toBe(before);
    const change = (etag: string | null) =>
      fetch(`${blog.url}/authors/2`, {
        method: "PATCH",
        headers: { "content-type": "application/json", "if-match": String(etag) },
        body: JSON.stringify({ name: "Bob" }),
      });
    expect((await change(before)).status).toBe(412);
    const changed = await change(after);
    expect([changed.status, changed.headers.get("etag")]).toEqual([200, after]);
    await blog.client.author.update({ where: { id: 2 }, data: { note: null } });
  });
});

describe("C102 functions that fail", () => {
  const served = async (computed: NonNullable<ModelConfig["computed"]>, work: (served: Served) => Promise<void>) =>
    withPost(blog, { computed }, work);

  it("are 500, and the error names the model and the field", async () => {
    const bad = {
      type: z.string(),
      needs: ["title"],
      compute: ({ title }: { title?: unknown }) => (title as { name: string }).name.trim(),
    };
    await served({ bad }, async (own) => {
      const { status, body } = await own.call("GET", "/posts/1");
      expect([status, body.code]).toEqual([500, "InternalServerError"]);
      expect(JSON.stringify(body)).not.toMatch(/bad|trim/);
      expect(String(own.logged[0])).toMatch(/^TypeError: The computed field bad of Post failed: Cannot read/);
      expect((own.logged[0] as Error).cause).toBeInstanceOf(TypeError);
      expect((await own.call("GET", "/posts/1?fields=title")).status).toBe(200);
      const { id } = await blog.client.post.create({ data: { title: "T" } });
      expect((await own.call("DELETE", `/posts/${id}`)).status).toBe(204);
    });
  });

  it("are 500 if they return a promise", async () => {
    await served(
      { late: { type: z.string(), needs: [], compute: () => Promise.reject(new Error("x")) as never } },
      async (own) => {
        expect((await own.call("GET", "/posts")).status).toBe(500);
        expect(String(own.logged[0])).toContain("The computed field late of Post returned a promise.");
      },
    );
  });
});
