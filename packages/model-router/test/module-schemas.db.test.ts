import "reflect-metadata";
import { readModels } from "@servicekit/prisma";
import { Transform, Type } from "class-transformer";
import { IsDate, IsEmail, IsInt, IsOptional, IsString, Length, Min, ValidateNested } from "class-validator";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { type Blog, startBlog } from "./blog.js";
import { models as data } from "./generated/blog/models.js";
import { type Served, serveModels } from "./serve-models.js";

let blog: Blog;
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
});
afterAll(async () => {
  await blog?.close();
});
beforeEach(async () => {
  await blog.client.comment.deleteMany();
  await blog.client.post.deleteMany();
  await blog.client.author.deleteMany();
});

async function withModels<T>(
  models: Record<string, ModelConfig>,
  work: (served: Served) => Promise<T>,
  settings: Partial<ModelRouterSettings> = {},
): Promise<T> {
  const served = await serveModels(blog.client, readModels(data), { ...settings, models });
  try {
    return await work(served);
  } finally {
    await served.stop();
  }
}

const issues = (body: { errors?: { path: string; code: string }[] }): string[] =>
  (body.errors ?? []).map(({ path, code }) => `${path} ${code}`);

class CreatePostDto {
  @IsString()
  @Length(3, 5)
  title!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  views?: number;
}

class UpdatePostDto {
  @IsOptional()
  @IsString()
  @Length(3, 5)
  title?: string;
}

const create = z.strictObject({ title: z.string().min(3).max(5), views: z.int().min(1).optional() });
const update = z.strictObject({ title: z.string().min(3).max(5).optional() });

describe.each<[string, NonNullable<ModelConfig["schemas"]>, "zod" | "class-validator", string, string]>([
  ["Zod schemas", { create, update }, "zod", "TooSmall", "TooBig"],
  ["classes", { create: CreatePostDto, update: UpdatePostDto }, "class-validator", "IsLength", "IsLength"],
])("C12 the %s of a module", (_title, schemas, resolver, small, big) => {
  it("replace the derived ones, for one row and for each item of many", async () => {
    await withModels(
      { Post: { schemas, bulkItems: 3 } },
      async ({ call, logged }) => {
        expect(issues((await call("POST", "/posts", { title: "a", views: 3 })).body)).toEqual([`/title ${small}`]);
        expect(issues((await call("POST", "/posts", { title: "abc", status: "DRAFT" })).body)).toEqual([
          "/status UnknownField",
        ]);
        expect(issues((await call("POST", "/posts", {})).body)).toEqual(["/title RequiredValue"]);
        expect((await call("POST", "/posts")).body.errors).toEqual([
          { in: "body", path: "", code: "RequiredValue", message: "A body is required." },
        ]);
        const one = await call("POST", "/posts", { title: "abc", views: 2 });
        expect([one.status, one.body.data.views]).toEqual([201, 2]);

        const items = [{ title: "abc" }, { title: "abcdefgh" }, { title: "abc", x: 1 }];
        const expected = [`/1/title ${big}`, "/2/x UnknownField"];
        expect(issues((await call("POST", "/posts/many", items)).body)).toEqual(expected);
        expect(issues((await call("POST", "/posts/many", { data: items })).body)).toEqual(
          expected.map((issue) => `/data${issue}`),
        );
        expect((await call("POST", "/posts/many", [...items, {}])).status).toBe(413);
        expect((await call("POST", "/posts/many", [])).status).toBe(400);
        const many = await call("POST", "/posts/many", [{ title: "abc" }, { title: "abcd" }]);
        expect([many.status, many.body.meta.count]).toEqual([201, 2]);

        const { id } = one.body.data;
        expect(issues((await call("PATCH", `/posts/${id}`, { title: "a" })).body)).toEqual([`/title ${small}`]);
        expect(issues((await call("PATCH", `/posts/${id}`, { views: 1 })).body)).toEqual(["/views UnknownField"]);
        expect((await call("PATCH", `/posts/${id}`, { title: "new" })).body.data.title).toBe("new");
        const changes = [{ id, title: "a" }, { title: "abc" }, 3];
        const found = issues((await call("PATCH", "/posts/many", changes)).body);
        expect(found).toEqual([`/0/title ${small}`, expect.stringMatching(/^\/1\/id /), "/2 InvalidType"]);
        expect((await call("PATCH", "/posts/many", [{ id, title: "xyz" }])).body.data[0].title).toBe("xyz");
        expect(issues((await call("PATCH", "/posts/many?views=2", { title: "a" })).body)).toEqual([`/title ${small}`]);
        expect((await call("PATCH", "/posts/many?views=2", { title: "all" })).body.data[0].title).toBe("all");
        expect(logged).toEqual([]);
      },
      { resolver },
    );
  });
});

describe.each<[string, NonNullable<ModelConfig["schemas"]>]>([
  ["a strict Zod object", { create, update }],
  ["a Zod object", { create: z.object(create.shape), update: z.object(update.shape) }],
  ["a loose Zod object", { create: z.looseObject(create.shape), update: z.looseObject(update.shape) }],
  ["a refined Zod object", { create: create.refine(() => false), update: update.refine(() => false) }],
  ["a class", { create: CreatePostDto, update: UpdatePostDto }],
])("C95 if the module has %s", (_title, schemas) => {
  const withPosts = { Post: { schemas }, Author: { writable: ["posts"] } };

  it("reports every error of a body together, unknown keys last", async () => {
    await withModels(withPosts, async ({ call }) => {
      const bad = { nope: 1, views: "x" };
      const places = ({ body }: { body: { errors: { path: string; code: string }[] } }): string[] => [
        ...new Set(body.errors.map(({ path, code }) => `${path}${code === "UnknownField" ? " unknown" : ""}`)),
      ];
      expect(places(await call("POST", "/posts", bad))).toEqual(["/title", "/views", "/nope unknown"]);
      expect(places(await call("POST", "/posts/many", [bad, { ...bad, title: 3 }]))).toEqual([
        ...["/0/title", "/0/views", "/0/nope unknown"],
        ...["/1/title", "/1/views", "/1/nope unknown"],
      ]);
      expect(places(await call("PATCH", "/posts/1", { nope: 1, title: 3 }))).toEqual(["/title", "/nope unknown"]);
      expect(places(await call("PATCH", "/posts/many", [{ nope: 1, title: 3 }]))).toEqual([
        "/0/id",
        "/0/title",
        "/0/nope unknown",
      ]);
      expect(places(await call("POST", "/authors", { nope: 1, posts: [bad, bad] }))).toEqual([
        "/email",
        ...["/posts/0/title", "/posts/0/views", "/posts/0/nope unknown"],
        ...["/posts/1/title", "/posts/1/views", "/posts/1/nope unknown"],
        "/nope unknown",
      ]);
    });
  });

  it("reports values that the column cannot store together with those that the schema rejects", async () => {
    await withModels(withPosts, async ({ call }) => {
      const { body } = await call("POST", "/posts", { views: 99_999_999_999 });
      expect(issues(body)).toEqual(["/title RequiredValue", "/views TooBig"]);
      expect((await call("POST", "/posts", '{"views":12345678901234567,"nope":1}')).body.errors).toEqual([
        expect.objectContaining({ path: "/views", code: "InvalidValue" }),
        expect.objectContaining({ path: "/title", code: "RequiredValue" }),
        expect.objectContaining({ path: "/nope", code: "UnknownField" }),
      ]);
    });
  });
});

it("C95 validates the output of a schema, not its input, next to an error of another value", async () => {
  const schema = z.looseObject({ title: z.string(), views: z.string().transform(Number) });
  await withModels({ Post: { schemas: { create: schema } } }, async ({ call }) => {
    expect(issues((await call("POST", "/posts", { views: "5", nope: 1 })).body)).toEqual([
      "/title RequiredValue",
      "/nope UnknownField",
    ]);
    expect(issues((await call("POST", "/posts", { views: "1.5" })).body)).toEqual([
      "/title RequiredValue",
      "/views InvalidType",
    ]);
  });
});

describe("C12 the output of a module's schema for a body", () => {
  it("is written: defaults, changed texts, dates and big numbers", async () => {
    class Big {
      @IsOptional()
      @Transform(({ value }) => BigInt(value))
      big!: bigint;

      @Type(() => Date)
      @IsDate()
      createdAt!: Date;

      @IsString()
      title = "from the class";
    }
    const given = { big: 12, createdAt: "2020-01-01T00:00:00Z" };
    const zod = z.object({
      title: z.string().trim().toUpperCase(),
      views: z.int().default(9),
      createdAt: z.coerce.date(),
      tags: z.array(z.string()).default(["x"]),
      data: z.unknown().transform((value) => ({ stored: value, at: 1.5 })),
    });
    const row = z.transform<unknown, unknown>((value) => value).pipe(zod);
    await withModels(
      { Post: { schemas: { createOne: row, createMany: Big }, writable: ["createdAt"] } },
      async ({ call }) => {
        const created = await call("POST", "/posts", { title: " a ", createdAt: "2020-01-01T00:00:00Z", data: [1] });
        expect(created.body.data).toMatchObject({
          title: "A",
          views: 9,
          createdAt: "2020-01-01T00:00:00.000Z",
          tags: ["x"],
          data: { stored: [1], at: 1.5 },
        });
        const many = await call("POST", "/posts/many", [given]);
        expect(many.body.data[0]).toMatchObject({ big: "12", title: "from the class" });
      },
    );
  });

  it("must be storable in the columns: no loose schema accepts an instruction or a hidden field", async () => {
    const loose = z.looseObject({});
    class Anything {
      @IsOptional()
      views?: unknown;

      @IsOptional()
      author?: unknown;
    }
    await blog.client.author.create({ data: { email: "a@example.com" } });
    const post = await blog.client.post.create({ data: { title: "a" } });
    for (const schema of [loose, Anything]) {
      await withModels(
        { Post: { schemas: { update: schema } }, Author: { schemas: { create: loose } } },
        async ({ call, logged }) => {
          for (const body of [
            { views: { increment: 5 } },
            { views: 1.5 },
            { views: Number.MAX_VALUE },
            { author: { create: { email: "b@example.com" } } },
            { author: { connectOrCreate: {} } },
            { author: { update: { password: "x" } } },
            { id: 77 },
            { createdAt: "2020-01-01T00:00:00Z" },
          ]) {
            expect([body, (await call("PATCH", `/posts/${post.id}`, body)).status]).toEqual([body, 400]);
          }
          const { status, body } = await call("POST", "/authors", { email: "c@example.com", note: "x" });
          expect([status, issues(body)]).toEqual([400, ["/note UnknownField"]]);
          expect((await call("POST", "/authors", { email: `${"x".repeat(60)}@example.com` })).status).toBe(400);
          expect(logged).toEqual([]);
        },
      );
    }
    expect(await blog.client.post.findUnique({ where: { id: post.id } })).toEqual(post);
    expect(await blog.client.author.count()).toBe(1);
  });

  it("a key that only the schema adds is a 500, and the log names it", async () => {
    const making = z.object({ title: z.string() }).transform((value) => ({ ...value, slug: "x" }));
    await withModels({ Post: { schemas: { create: making } } }, async ({ call, logged }) => {
      const { status, body } = await call("POST", "/posts", { title: "a" });
      expect([status, JSON.stringify(body).includes("slug")]).toEqual([500, false]);
      expect(String(logged[0])).toContain("The schema create of Post sets the key slug, which bodies cannot set.");
    });
  });

  it("may lack fields that a hook adds: only the schema itself requires fields", async () => {
    await withModels(
      {
        Comment: {
          schemas: { create: z.object({ text: z.string() }) },
          hooks: {
            beforeCreateOne: async (request, _response, next) => {
              const post = await blog.client.post.create({ data: { title: "p" } });
              request.body.postId = post.id;
              next();
            },
          },
        },
      },
      async ({ call }) => {
        expect((await call("POST", "/comments", { text: "x" })).status).toBe(201);
        expect((await call("POST", "/comments", {})).status).toBe(400);
      },
    );
  });

  it("is awaited if the schema is asynchronous, and may be a nested class", async () => {
    const taken = z.object({
      email: z
        .email()
        .refine(async (email) => (await blog.client.author.count({ where: { email } })) === 0, "It is taken."),
    });
    class Ref {
      @IsInt()
      id!: number;
    }
    class WithAuthor {
      @IsString()
      title!: string;

      @ValidateNested()
      @Type(() => Ref)
      author!: Ref;
    }
    await withModels(
      { Author: { schemas: { create: taken } }, Post: { schemas: { create: WithAuthor } } },
      async ({ call }) => {
        const first = await call("POST", "/authors", { email: "a@example.com" });
        expect(first.status).toBe(201);
        expect((await call("POST", "/authors", { email: "a@example.com" })).body.errors[0].message).toBe(
          "It is taken.",
        );
        const post = await call("POST", "/posts", { title: "a", author: { id: first.body.data.id } });
        expect([post.status, post.body.data.authorId]).toEqual([201, first.body.data.id]);
        expect(issues((await call("POST", "/posts", { title: "a", author: { id: "1" } })).body)).toEqual([
          "/author/id IsInt",
        ]);
      },
    );
  });
});

describe("C44 the schema `query`", () => {
  it("validates all parameters of a list as the client wrote them", async () => {
    const query = z.strictObject({ title__contains: z.string().min(3), limit: z.literal("2").optional() });
    class ListDto {
      @IsEmail({}, { each: true })
      email!: string | string[];
    }
    await withModels(
      {
        Post: { schemas: { query } },
        Author: { schemas: { query: ListDto } },
        Comment: { schemas: { query: z.looseObject({}) } },
      },
      async ({ call }) => {
        expect((await call("GET", "/posts?title__contains=abc&limit=2")).status).toBe(200);
        const { status, body } = await call("GET", "/posts?title__contains=a&limit=3&page=1&__proto__=1");
        expect([status, body.errors.map((issue: { in: string; path: string }) => `${issue.in} ${issue.path}`)]).toEqual(
          [400, ["query /title__contains", "query /limit", "query /page", "query /__proto__"]],
        );
        expect((await call("HEAD", "/posts")).status).toBe(400);
        expect((await call("GET", "/authors?email=a@example.com")).status).toBe(200);
        expect(issues((await call("GET", "/authors?email=a&x=1")).body)).toEqual(["/email IsEmail", "/x UnknownField"]);
        expect((await call("GET", "/authors?email=a@example.com&email=a")).status).toBe(400);
        // The list itself still reads what the schema accepts.
        expect((await call("GET", "/comments?nothing=1")).body.errors[0].path).toBe("/nothing");
      },
    );
  });
});

describe("C12, C44 schemas that prevent startup", () => {
  const startupIssues = (models: Record<string, ModelConfig>, settings: Partial<ModelRouterSettings> = {}) =>
    withModels(models, async () => undefined, settings).catch(({ issues: found }) => found);

  it("are those with a key that bodies may not set, and those of the other library", async () => {
    class Wrong {
      @IsString()
      titel!: string;
    }
    class Bare {
      title!: string;
    }
    const found = await startupIssues(
      {
        Post: {
          schemas: {
            create: z.object({ titel: z.string(), createdAt: z.iso.datetime(), id: z.int().optional() }).readonly(),
            updateOne: Wrong,
            query: Wrong,
          },
        },
        Author: { schemas: { create: z.object({ note: z.string() }) }, readonly: ["name"] },
      },
      { resolver: "zod" },
    );
    expect(found).toEqual(
      [
        { where: "models.Post.schemas.create", message: "Post has no field titel. Did you mean title?" },
        {
          where: "models.Post.schemas.create",
          message: "The field createdAt cannot be set by bodies. Remove it, or allow it with writable.",
        },
        {
          where: "models.Post.schemas.create",
          message: "The field id cannot be set by bodies. Remove it, or allow it with writable.",
        },
        {
          where: "models.Post.schemas.updateOne",
          message: "This is a class, but validation.resolver is zod.",
        },
        { where: "models.Post.schemas.query", message: "This is a class, but validation.resolver is zod." },
        {
          where: "models.Author.schemas.create",
          message: "The field note is hidden. Remove it, or allow it with writable.",
        },
      ].sort(byPlace),
    );
    expect(
      await startupIssues({ Post: { schemas: { update: Wrong, create: Bare } } }, { resolver: "class-validator" }),
    ).toEqual([
      {
        where: "models.Post.schemas.create",
        message: "The class Bare has no class-validator decorator, so it would reject every field.",
      },
      { where: "models.Post.schemas.update", message: "Post has no field titel. Did you mean title?" },
    ]);
  });
});

const order = ["models.Author.schemas.create", "models.Post.schemas.query"];
const byPlace = (a: { where: string }, b: { where: string }): number => rank(a.where) - rank(b.where);
const rank = (where: string): number => (order.includes(where) ? order.indexOf(where) : order.length);
