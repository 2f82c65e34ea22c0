import { readModels } from "@servicekit/prisma";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import type { ModelConfig } from "../src/index.js";
import { type Blog, startBlog } from "./blog.js";
import { models as data } from "./generated/blog/models.js";
import { type Served, serveModels, type TestResponse } from "./serve-models.js";

let blog: Blog;
const opened: Served[] = [];
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
  await blog.client.author.create({ data: { email: "a@x.org" } });
  await blog.client.post.create({ data: { title: "first", authorId: 1 } });
});
afterEach(async () => {
  for (const served of opened.splice(0)) await served.stop();
});
afterAll(() => blog?.close());

async function withModels(models: Record<string, ModelConfig>, more = {}): Promise<Served> {
  const served = await serveModels(blog.client, readModels(data), { models, ...more });
  opened.push(served);
  return served;
}

/** The log's text about the last error. */
const reported = ({ logged }: Served): string => logged.map((error) => (error as Error).message).join("\n");

/** Every issue of a 4xx has an existing place. */
function expectPlaces({ status, body }: TestResponse): void {
  if (status < 400 || status >= 500) return;
  expect(body.errors, JSON.stringify(body)).not.toBeUndefined();
  expect(body.errors.length).toBeGreaterThan(0);
}

describe("C62 what a client cannot have caused is 500, and the log names model, hook and field", () => {
  const bodies: Record<string, [operation: string, method: string, path: string, body: unknown]> = {
    CreateOne: ["beforeCreateOne", "POST", "/posts", { title: "x" }],
    UpdateOne: ["beforeUpdateOne", "PATCH", "/posts/1", { title: "x" }],
    CreateMany: ["beforeCreateMany", "POST", "/posts/many", [{ title: "x" }, { title: "y" }]],
    UpdateMany: ["beforeUpdateMany", "PATCH", "/posts/many", [{ id: 1, title: "x" }]],
  };
  const changes: Record<string, [change: object, field: string]> = {
    "an unknown field": [{ titel: "y" }, "titel"],
    "a value of a wrong type": [{ views: "many" }, "views"],
    "a row that does not exist": [{ authorId: 4711 }, "authorId"],
  };
  for (const [name, [hook, method, path, body]] of Object.entries(bodies)) {
    it.each(Object.entries(changes))(`%s, set by a hook of ${name}`, async (what, [change, field]) => {
      const set = (request: { body: unknown }): void => {
        for (const row of [request.body].flat()) Object.assign(row as object, change);
      };
      const served = await withModels({
        Post: {
          hooks: {
            [hook]: ((request: never, _response: never, next: () => void) => {
              set(request);
              next();
            }) as never,
          },
        },
      });
      const reply = await served.call(method, path, body);
      expect({ what, status: reply.status, code: reply.body.code }).toMatchObject({ status: 500 });
      expect(reported(served)).toContain("Post");
      expect(reported(served)).toContain(hook);
      const causes = served.logged.map((error) => String((error as Error).cause ?? ""));
      expect(reported(served) + causes.join()).toContain(field);
      expect(JSON.stringify(reply.body)).not.toContain(field);
    });
  }

  it("a text that is too long, set by a hook", async () => {
    const served = await withModels({
      Author: {
        hooks: {
          beforeCreateOne: (request, _response, next) => {
            Object.assign(request.body as object, { email: "x".repeat(99) });
            next();
          },
        },
      },
    });
    expect(await served.call("POST", "/authors", { email: "b@x.org" })).toMatchObject({ status: 500 });
    expect(reported(served)).toContain("beforeCreateOne of Author");
  });

  it("the same errors in the client's own input are 400 next to a hook that changes something else", async () => {
    const served = await withModels({
      Post: {
        hooks: {
          beforeCreateOne: (request, _response, next) => {
            Object.assign(request.body as object, { views: 7 });
            next();
          },
        },
      },
    });
    const reply = await served.call("POST", "/posts", { title: "x", authorId: 4711 });
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ in: "body", path: "/authorId" }] } });
    expect(served.logged).toEqual([]);
  });

  it.each([
    ["GET", "/posts", "beforeFindMany"],
    ["GET", "/posts/1", "beforeFindOne"],
    ["GET", "/posts/1?include=author", "beforeFindOne"],
    ["PATCH", "/posts/1", "beforeUpdateOne"],
    ["DELETE", "/posts/1", "beforeDeleteOne"],
    ["DELETE", "/posts/many?title=zz", "beforeDeleteMany"],
  ])("a misspelled where of a hook: %s %s", async (method, path, hook) => {
    const spoil = (request: { query: { where: object } }, _response: never, next: () => void): void => {
      Object.assign(request.query.where, { titel: "x" });
      next();
    };
    const served = await withModels({ Post: { hooks: { [hook]: spoil as never } } });
    const reply = await served.call(method, path, method === "PATCH" ? { title: "x" } : undefined);
    expect(reply).toMatchObject({ status: 500 });
    expect(reported(served)).toMatch(/titel/);
    expect(reported(served)).toContain(`${hook} of Post`);
  });

  it("a misspelled row rule", async () => {
    const served = await serveModels(
      blog.client,
      readModels(data),
      { models: { Post: { auth: { where: () => ({ titel: "x" }) } } } },
      [{ key: "authentication", handlers: () => [] }],
      { access: { allows: () => true } as never },
    );
    opened.push(served);
    expect(await served.call("GET", "/posts")).toMatchObject({ status: 500 });
    expect(reported(served)).toMatch(/titel, which is not a field of Post\. Did you mean title/);
  });

  it("a row rule that compares with a value of a wrong type", async () => {
    const served = await serveModels(
      blog.client,
      readModels(data),
      { models: { Post: { auth: { where: () => ({ views: "many" }) } } } },
      [{ key: "authentication", handlers: () => [] }],
      { access: { allows: () => true } as never },
    );
    opened.push(served);
    expect(await served.call("GET", "/posts")).toMatchObject({ status: 500 });
    expect(reported(served)).toMatch(/Post/);
    expect(reported(served)).toMatch(/views/);
  });

  it("misspelled default query options prevent startup and name the nearest field", async () => {
    const start = withModels({
      Post: { query: { findMany: { where: { AND: [{ author: { is: { emial: "x" } } }], titel: "x" } } } },
    });
    await expect(start).rejects.toThrow(
      /Unknown field of Author emial\. Did you mean email[\s\S]*titel\. Did you mean title/,
    );
  });

  it.each([
    [{ data: { path: ["team"] } }, /a path of data without an operator: write it like \{ data: \{ path: /],
    [{ data: { path: "$.team", equals: 1 } }, /a path of data that is not a list of texts/],
    [{ OR: [{ title: "x" }, { views: undefined }] }, /Found undefined for views: remove it/],
    [{}, /Found an empty filter/],
  ])("the default filter %j prevents startup with a reason", async (where, reason) => {
    for (const operation of ["findMany", "findOne"]) {
      const start = withModels({ Post: { query: { [operation]: { where } } } });
      await expect(start).rejects.toThrow(reason);
      await expect(start).rejects.toThrow(`models.Post.query.${operation}.where`);
    }
  });

  it("options of a client that Prisma rejects are 400, also next to a hook", async () => {
    const served = await withModels(
      { Post: { hooks: { beforeFindMany: (_request, _response, next) => next() } } },
      { allowDangerousOrmQueryOptions: true },
    );
    const options = encodeURIComponent(JSON.stringify({ where: { data: { path: "x", equals: 1 } } }));
    const reply = await served.call("GET", `/posts?prismaQueryOptions=${options}`);
    expect(reply).toMatchObject({ status: 400 });
    expectPlaces(reply);
    expect(served.logged).toEqual([]);
  });
});

describe("C62 a 4xx of a generated route names its place", () => {
  it.each([
    ["GET", "/posts/4711", undefined, 404, "params", "/id"],
    ["GET", "/posts/none", undefined, 404, "params", "/id"],
    ["PATCH", "/posts/4711", { title: "x" }, 404, "params", "/id"],
    ["PATCH", "/posts/4711", { author: { email: "n@x.org" } }, 404, "params", "/id"],
    ["DELETE", "/posts/4711", undefined, 404, "params", "/id"],
    ["DELETE", "/posts/many", { ids: [4711] }, 404, "body", "/ids/0"],
    ["DELETE", "/posts/many", undefined, 400, "query", ""],
    ["PATCH", "/posts/many", { title: "x" }, 400, "query", ""],
    ["PATCH", "/posts/many", [{ id: 4711, title: "x" }], 404, "body", "/0/id"],
    ["POST", "/posts", { title: "x", authorId: 4711 }, 400, "body", "/authorId"],
    ["POST", "/posts/many", [{ title: "x", authorId: 4711 }], 400, "body", "/0/authorId"],
    ["POST", "/posts", "{", 400, "body", ""],
    ["POST", "/posts", `{"title":"${"x".repeat(1_100_000)}"}`, 413, "body", ""],
    ["POST", "/posts/many", Array.from({ length: 1001 }, () => ({ title: "x" })), 413, "body", ""],
    ["POST", "/authors", { email: "a@x.org" }, 409, "body", "/email"],
    ["POST", "/authors/many", [{ email: "a@x.org" }], 409, "body", "/0/email"],
    ["GET", "/posts?nothing=1", undefined, 400, "query", "/nothing"],
    ["GET", "/posts?page=x", undefined, 400, "query", "/page"],
  ])("%s %s is rejected at its place", async (method, path, body, status, part, pointer) => {
    const reply = await blog.call(method, path, body);
    expect({ status: reply.status, errors: reply.body.errors }).toMatchObject({
      status,
      errors: expect.arrayContaining([expect.objectContaining({ in: part, path: pointer })]),
    });
  });

  it("a 4xx of a header names its place", async () => {
    const send = async (headers: Record<string, string>, method = "POST", target = "/posts") => {
      const body = method !== "POST" ? {} : { body: "title" };
      const response = await fetch(`${blog.url}${target}`, { method, headers, ...body });
      return { status: response.status, errors: ((await response.json()) as { errors: unknown }).errors };
    };
    const at = (status: number, path: string) => ({ status, errors: [{ in: "headers", path }] });
    expect(await send({ "content-type": "text/plain" })).toMatchObject(at(415, "/content-type"));
    expect(await send({ "content-type": "application/json", "content-encoding": "lzma" })).toMatchObject(
      at(415, "/content-encoding"),
    );
    expect(await send({ "if-match": '"other"' }, "GET", "/posts/1")).toMatchObject(at(412, "/if-match"));
    expect(await send({ "if-match": '"other"' }, "DELETE", "/posts/1")).toMatchObject(at(412, "/if-match"));
  });
});
