import { dbNull } from "@servicekit/prisma/internal";
import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import type { ModelHooks } from "../src/index.js";
import { type Blog, startBlog, withPost } from "./blog.js";
import { type Served } from "./serve-models.js";

let blog: Blog;
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
});
afterAll(async () => {
  expect(blog?.logged).toEqual([]);
  await blog?.close();
});
beforeEach(async () => {
  await blog.client.comment.deleteMany();
  await blog.client.post.deleteMany();
  await blog.client.author.deleteMany();
});

const withHooks = <T>(hooks: ModelHooks, work: (served: Served) => Promise<T>): Promise<T> =>
  withPost(blog, { hooks }, work);

const titles = async (): Promise<string[]> =>
  (await blog.client.post.findMany({ orderBy: { id: "asc" } })).map(({ title }) => title);

describe("C45 hooks of the eight operations", () => {
  const steps = [
    "CreateOne",
    "FindOne",
    "FindMany",
    "UpdateOne",
    "DeleteOne",
    "CreateMany",
    "UpdateMany",
    "DeleteMany",
  ];

  it("run before and after the operation, in the order of their list, and see its result", async () => {
    const received: string[] = [];
    const hooks = Object.fromEntries(
      steps.flatMap((step) => [
        [
          `before${step}`,
          [
            ((_request, response, next) => {
              received.push(`before ${step} ${"data" in response.locals}`);
              next();
            }) satisfies RequestHandler,
            (async (_request, _response, next) => {
              await Promise.resolve();
              received.push(`then ${step}`);
              next();
            }) satisfies RequestHandler,
          ],
        ],
        [
          `after${step}`,
          ((_request, response, next) => {
            const { data: rows, meta } = response.locals;
            received.push(`after ${step} ${Array.isArray(rows) ? rows.length : rows?.title} ${meta?.count}`);
            setTimeout(next, 1);
          }) satisfies RequestHandler,
        ],
      ]),
    );
    const expected = (step: string, after: string) => [
      `before ${step} false`,
      `then ${step}`,
      `after ${step} ${after}`,
    ];
    await withHooks(hooks, async ({ call }) => {
      const created = await call("POST", "/posts", { title: "a" });
      expect([created.status, created.body.data.title]).toEqual([201, "a"]);
      const { id } = created.body.data;
      expect((await call("GET", `/posts/${id}`)).status).toBe(200);
      expect((await call("GET", "/posts")).body.meta.total).toBe(1);
      expect((await call("PATCH", `/posts/${id}`, { title: "b" })).body.data.title).toBe("b");
      expect((await call("DELETE", `/posts/${id}`)).status).toBe(204);
      const many = await call("POST", "/posts/many", [{ title: "c" }, { title: "d" }]);
      expect((await call("PATCH", "/posts/many", [{ id: many.body.data[0].id, title: "e" }])).status).toBe(200);
      expect((await call("DELETE", "/posts/many?title=e")).body).toEqual({ meta: { count: 1 } });
    });
    expect(received).toEqual([
      ...expected("CreateOne", "a undefined"),
      ...expected("FindOne", "a undefined"),
      ...expected("FindMany", "1 1"),
      ...expected("UpdateOne", "b undefined"),
      ...expected("DeleteOne", "undefined undefined"),
      ...expected("CreateMany", "2 2"),
      ...expected("UpdateMany", "1 1"),
      ...expected("DeleteMany", "undefined 1"),
    ]);
    expect(await titles()).toEqual(["d"]);
  });

  it("run for HEAD as for GET", async () => {
    let count = 0;
    const hook: RequestHandler = (_request, _response, next) => {
      count++;
      next();
    };
    await withHooks({ beforeFindMany: hook, afterFindMany: hook }, async ({ call }) => {
      expect((await call("HEAD", "/posts")).status).toBe(200);
    });
    expect(count).toBe(2);
  });

  it("run after validation: a rejected request reaches no hook", async () => {
    let count = 0;
    const hook: RequestHandler = (_request, _response, next) => {
      count++;
      next();
    };
    await withHooks({ beforeCreateOne: hook, beforeFindMany: hook, beforeUpdateOne: hook }, async ({ call }) => {
      expect((await call("POST", "/posts", { title: 1 })).status).toBe(400);
      expect((await call("GET", "/posts?nothing=1")).status).toBe(400);
      expect((await call("PATCH", "/posts/no-id", {})).status).toBe(404);
    });
    expect(count).toBe(0);
  });
});

describe("C45 what before hooks change", () => {
  it("the validated body: a field that bodies may not set, a nested write, the items of a bulk", async () => {
    const author = await blog.client.author.create({ data: { email: "a@example.com" } });
    const created = new Date("2001-02-03T00:00:00Z");
    await withHooks(
      {
        beforeCreateOne: (request, _response, next) => {
          expect(request.body).toEqual({ title: "a" });
          Object.assign(request.body, { authorId: author.id, createdAt: created });
          next();
        },
        beforeUpdateOne: (request, _response, next) => {
          request.body = { title: "replaced" };
          next();
        },
        beforeCreateMany: (request, _response, next) => {
          request.body = request.body.map((item) => ({ ...item, views: 7 }));
          next();
        },
      },
      async ({ call }) => {
        const { data: row } = (await call("POST", "/posts", { title: "a" })).body;
        expect(row).toMatchObject({ title: "a", authorId: author.id, createdAt: created.toISOString() });
        expect((await call("PATCH", `/posts/${row.id}`, { views: 3 })).body.data).toMatchObject({
          title: "replaced",
          views: 0,
        });
        const many = await call("POST", "/posts/many", [{ title: "x" }, { title: "y" }]);
        expect(many.body.data.map(({ views }: { views: number }) => views)).toEqual([7, 7]);
      },
    );
  });

  it("the ORM options: the filter of a list in pages and in cursor mode, with its total", async () => {
    await blog.client.post.createMany({ data: ["a1", "a2", "a3", "b1"].map((title) => ({ title })) });
    await withHooks(
      {
        beforeFindMany: (request, _response, next) => {
          request.query.where = { AND: [request.query.where, { title: { startsWith: "a" } }] };
          next();
        },
        beforeDeleteMany: (request, _response, next) => {
          request.query.where = { AND: [request.query.where, { title: "a2" }] };
          next();
        },
      },
      async ({ call }) => {
        const pages = await call("GET", "/posts?limit=2&sort=title");
        expect(pages.body.meta).toMatchObject({ total: 3, count: 2, pages: 2 });
        const first = await call("GET", "/posts?limit=2&cursor=");
        expect(first.body.meta).toMatchObject({ total: 3, count: 2 });
        const second = await call("GET", `/posts?limit=2&cursor=${first.body.meta.nextCursor}`);
        expect(second.body.data.map(({ title }: { title: string }) => title)).toEqual(["a3"]);
        expect(second.body.meta).toMatchObject({ total: 3, nextCursor: null });
        expect((await call("DELETE", "/posts/many?views=0")).body).toEqual({ meta: { count: 1 } });
      },
    );
    expect(await titles()).toEqual(["a1", "a3", "b1"]);
  });
});

describe("C45 what after hooks change", () => {
  it("the value of response.locals.data is sent, without hidden fields at any depth", async () => {
    const author = await blog.client.author.create({ data: { email: "a@example.com", password: "s3cret", note: "n" } });
    await blog.client.post.create({ data: { title: "a", authorId: author.id, data: dbNull as never } });
    class Wrapped {
      constructor(row: object) {
        Object.assign(this, row);
      }
    }
    await withHooks(
      {
        afterFindOne: async (request, response, next) => {
          const complete = await blog.client.post.findUniqueOrThrow({
            where: { id: Number(request.params.id) },
            include: { author: true },
          });
          response.locals.data = { ...complete, words: 3, author: new Wrapped(complete.author as object) };
          next();
        },
        afterFindMany: (_request, response, next) => {
          response.locals.data = response.locals.data.map((row) => ({ ...row, title: row.title.toUpperCase() }));
          response.locals.meta = { ...response.locals.meta, more: 1 };
          next();
        },
      },
      async ({ call }) => {
        const list = await call("GET", "/posts");
        expect(list.body.data[0].title).toBe("A");
        expect(list.body.meta).toMatchObject({ total: 1, more: 1 });
        const { body } = await call("GET", `/posts/${list.body.data[0].id}`);
        expect(body.data).toMatchObject({ title: "a", words: 3, author: { email: "a@example.com" } });
        expect(JSON.stringify(body)).not.toMatch(/s3cret|password|note/);
      },
    );
  });

  it("they can respond with anything: a row for a delete, nothing for a read, a value that is not a row", async () => {
    const post = await blog.client.post.create({ data: { title: "a" } });
    const responses: unknown[] = [null, 3, "text", [1, null]];
    await withHooks(
      {
        afterFindOne: (_request, response, next) => {
          response.locals.data = responses.shift() as never;
          next();
        },
        afterDeleteOne: (_request, response, next) => {
          (response.locals as { data: unknown }).data = { gone: true };
          next();
        },
      },
      async ({ call, logged }) => {
        for (const data of [null, 3, "text", [1, null]]) {
          expect((await call("GET", `/posts/${post.id}`)).body).toEqual({ data });
        }
        expect((await call("DELETE", `/posts/${post.id}`)).body).toEqual({ data: { gone: true } });
        expect(logged).toEqual([]);
      },
    );
  });
});

describe("C45 a hook that responds or fails", () => {
  it("ends the request: no later step runs, and a before hook prevents the write", async () => {
    const received: string[] = [];
    const note =
      (word: string): RequestHandler =>
      (_request, _response, next) => {
        received.push(word);
        next();
      };
    await withHooks(
      {
        beforeCreateOne: [
          note("first"),
          (_request, response) => {
            response.status(202).json({ queued: true });
          },
          note("never"),
        ],
        afterCreateOne: note("never"),
        // It responds and calls next, as a handler may.
        beforeCreateMany: (_request, response, next) => {
          response.status(203).json({ done: 1 });
          next();
        },
        afterUpdateOne: [
          (_request, response, next) => {
            response.status(209).end();
            next();
          },
          note("never"),
        ],
      },
      async ({ call, logged }) => {
        expect(await call("POST", "/posts", { title: "a" })).toMatchObject({ status: 202, body: { queued: true } });
        expect(await call("POST", "/posts/many", [{ title: "a" }])).toMatchObject({ status: 203, body: { done: 1 } });
        const post = await blog.client.post.create({ data: { title: "kept" } });
        expect((await call("PATCH", `/posts/${post.id}`, { title: "changed" })).status).toBe(209);
        expect(logged).toEqual([]);
      },
    );
    expect(received).toEqual(["first"]);
    expect(await titles()).toEqual(["changed"]);
  });

  const failures: [string, RequestHandler][] = [
    ["next(error)", (_request, _response, next) => next(new Error("no"))],
    [
      "a throw",
      () => {
        throw new Error("no");
      },
    ],
    ["a rejection", async () => Promise.reject(new Error("no"))],
    ["a rejection without a reason", () => Promise.reject()],
    [
      "a thrown nothing",
      () => {
        throw undefined;
      },
    ],
  ];
  it.each(failures)("returns 500 for %s, writes nothing and reveals nothing", async (_title, hook) => {
    await withHooks({ beforeCreateOne: hook, afterFindMany: hook }, async ({ call, logged }) => {
      for (const [method, path, body] of [
        ["POST", "/posts", { title: "a" }],
        ["GET", "/posts"],
      ] as const) {
        const reply = await call(method, path, body);
        expect([reply.status, reply.headers.get("content-type")]).toEqual([500, "application/problem+json"]);
        expect(JSON.stringify(reply.body)).not.toMatch(/no\b|hooks\.db/);
      }
      expect(logged).toHaveLength(2);
    });
    expect(await titles()).toEqual([]);
  });

  it("a second next, a late error and a second response are logged, and one response is sent", async () => {
    await withHooks(
      {
        beforeCreateOne: (_request, _response, next) => {
          next();
          next();
        },
        afterFindOne: async (_request, _response, next) => {
          next();
          throw new Error("late");
        },
        afterFindMany: (_request, response) => {
          response.json({ own: 1 });
          response.json({ own: 2 });
        },
        beforeFindMany: (_request, _response, next) => {
          next();
          next(new Error("again"));
        },
      },
      async ({ call, logged }) => {
        const { data: row } = (await call("POST", "/posts", { title: "a" })).body;
        expect((await call("GET", `/posts/${row.id}`)).body.data.title).toBe("a");
        expect((await call("GET", "/posts")).body).toEqual({ own: 1 });
        const text = logged.map((error) => (error as Error).message);
        expect(text.sort()).toEqual([
          "Cannot set headers after they are sent to the client",
          "The hook beforeCreateOne of Post called next twice.",
          "again",
          "late",
        ]);
      },
    );
    expect(await titles()).toEqual(["a"]);
  });

  it('next("route") leaves the generated route: the next matching one responds, otherwise 404', async () => {
    await withHooks({ beforeFindOne: (_request, _response, next) => next("route") }, async ({ call, logged }) => {
      const post = await blog.client.post.create({ data: { title: "a" } });
      expect((await call("GET", `/posts/${post.id}`)).status).toBe(404);
      expect(logged).toEqual([]);
    });
  });

  it("hooks of concurrent requests do not affect each other", async () => {
    await withHooks(
      {
        beforeCreateOne: (request, response, next) => {
          response.locals.seen = request.body.title;
          setTimeout(next, Math.random() * 20);
        },
        afterCreateOne: (_request, response, next) => {
          response.locals.data = { ...response.locals.data, seen: response.locals.seen };
          next();
        },
      },
      async ({ call }) => {
        const responses = await Promise.all(
          Array.from({ length: 30 }, (_, index) => call("POST", "/posts", { title: `t${index}` })),
        );
        for (const { body } of responses) expect(body.data.seen).toBe(body.data.title);
      },
    );
  });
});
