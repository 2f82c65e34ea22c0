import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { z } from "zod";
import type { ModelConfig, ModelRouterSettings } from "../src/index.js";
import { type Blog, startBlog, withPost } from "./blog.js";

let blog: Blog;
const settings: Partial<ModelRouterSettings> = {
  exportRows: 3_000,
  models: { Post: { export: true }, Author: { export: true }, Reaction: { export: true } },
};

beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"), settings);
  const { client } = blog;
  await client.author.createMany({
    data: [
      { email: "ann@example.com", name: "Ann", note: "secret note" },
      { email: "=1+1@example.com", name: null },
    ],
  });
  await client.post.createMany({
    data: Array.from({ length: 2_500 }, (_, index) => ({
      title: `post ${index}`,
      views: index % 7,
      rating: index % 3 === 0 ? null : (index % 11) / 4,
      authorId: index % 2 === 0 ? 1 : null,
    })),
  });
  await client.post.create({
    data: {
      title: '=cmd|"/c calc"!A1',
      price: "-12.50",
      big: -9007199254740993n,
      data: { a: [1, "x"] },
      tags: ["a,b", "c"],
      createdAt: new Date("2026-01-02T03:04:05.678Z"),
      authorId: 2,
      comments: { create: [{ text: "one" }, { text: "two" }] },
    },
  });
  await client.reaction.createMany({
    data: [
      { postId: 2, kind: "b" },
      { postId: 1, kind: "a" },
      { postId: 1, kind: "b" },
    ],
  });
});
afterAll(async () => {
  expect(blog?.logged).toEqual([]);
  await blog?.close();
});

const get = async (target: string, accept: string, init: RequestInit = {}) => {
  const response = await fetch(`${blog.url}${target}`, { ...init, headers: { accept } });
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const csv = (target: string) => get(target, "text/csv");
const lines = async (target: string) => {
  const { status, text } = await get(target, "application/x-ndjson");
  expect([status, text.slice(0, 300)]).toEqual([200, expect.any(String)]);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
};
const errorsOf = ({ status, text }: { status: number; text: string }) => ({
  status,
  errors: (JSON.parse(text).errors ?? []).map(({ path, code }: Record<string, string>) => `${path} ${code}`),
});

describe("C104 an export as CSV", () => {
  it("has a header, one line per row, exact values, and no formulas", async () => {
    const { status, headers, text } = await csv(
      "/posts?id=2501&fields=id,title,views,price,big,rating,status,isPinned,data,tags,createdAt",
    );
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8");
    expect(headers.get("content-disposition")).toBe('attachment; filename="posts.csv"');
    expect(headers.get("vary")).toContain("Accept");
    expect(text).toBe(
      "id,title,views,price,big,rating,status,isPinned,data,tags,createdAt\r\n" +
        `2501,"'=cmd|""/c calc""!A1",0,-12.50,-9007199254740993,,DRAFT,false,` +
        `"{""a"":[1,""x""]}","[""a,b"",""c""]",2026-01-02T03:04:05.678Z\r\n`,
    );
  });

  it("flattens to-one relations, and rejects to-many ones", async () => {
    const { text } = await csv("/posts?id__in=1,2,2501&fields=id&include=author&sort=id");
    expect(text).toBe(
      "id,author.id,author.email,author.name\r\n" +
        "1,1,ann@example.com,Ann\r\n" +
        "2,,,\r\n" +
        "2501,2,'=1+1@example.com,\r\n",
    );
    const rejected = await csv("/posts?include=comments");
    expect(errorsOf(rejected)).toEqual({ status: 400, errors: ["/include InvalidValue"] });
    expect(rejected.text).toContain("application/x-ndjson");
  });

  it("without rows is its header", async () => {
    expect((await csv("/posts?id=0&fields=id,title")).text).toBe("id,title\r\n");
  });

  it("has an empty cell for null and a quoted one for an empty text", async () => {
    await blog.client.author.create({ data: { email: "", name: null } });
    expect((await csv("/authors?email__isempty=true&fields=email,name")).status).toBe(400);
    expect((await csv("/authors?sort=-id&limit=1&fields=email,name")).text).toBe('email,name\r\n"",\r\n');
  });
});

describe("C104 an export", () => {
  it("has every row once, in the order of the list, for orders that a cursor follows and others", async () => {
    for (const sort of ["id", "-views,title", "rating", "-rating", "author.name,-id", "-author.email"]) {
      const rows = await lines(`/posts?sort=${sort}&fields=id,rating`);
      const paged: { id: number }[] = [];
      for (let page = 1; paged.length < 2501; page++)
        paged.push(
          ...(await blog.call("GET", `/posts?sort=${sort}&fields=id,rating&limit=100&page=${page}`)).body.data,
        );
      expect(rows, sort).toEqual(paged);
    }
    expect(await lines("/reactions")).toEqual((await blog.call("GET", "/reactions")).body.data);
  });

  it("includes relations as the list does", async () => {
    const target = "/posts?include=comments,author&sort=-id&limit=3";
    expect(await lines(target)).toEqual((await blog.call("GET", target)).body.data);
  });

  it("filters, searches and limits as the list does", async () => {
    expect(await lines("/posts?views=3&fields=id&limit=2&sort=-id")).toEqual(
      (await blog.call("GET", "/posts?views=3&fields=id&limit=2&sort=-id")).body.data,
    );
    expect(await lines("/posts?search=post%20241&fields=title")).toHaveLength(13);
  });

  it("rejects the parameters of pages, and names other errors as the list does", async () => {
    expect(errorsOf(await csv("/posts?page=2&cursor=&count=true"))).toEqual({
      status: 400,
      errors: ["/page Conflict", "/cursor Conflict", "/count Conflict"],
    });
    expect(errorsOf(await csv("/posts?limit=3001"))).toEqual({ status: 400, errors: ["/limit OutOfRange"] });
    expect(errorsOf(await csv("/posts?nothing=1"))).toEqual({ status: 400, errors: ["/nothing UnknownField"] });
  });

  it("over the maximum is rejected before the first byte", async () => {
    await blog.client.post.createMany({ data: Array.from({ length: 600 }, () => ({ title: "more", views: -1 })) });
    try {
      const rejected = await csv("/posts");
      expect(errorsOf(rejected)).toEqual({ status: 400, errors: ["/ ExportTooLarge"].map((text) => text.slice(1)) });
      expect(rejected.text).toContain("more than 3000 rows");
      expect((await csv("/posts?sort=author.name")).status).toBe(400);
      expect((await lines("/posts?limit=3000&fields=id")).length).toBe(3000);
    } finally {
      await blog.client.post.deleteMany({ where: { views: -1 } });
    }
  });

  it("is chosen by the Accept header with its weights; JSON is the default", async () => {
    const typeOf = async (accept: string) => {
      const { status, headers } = await get("/posts?limit=1", accept);
      return status === 200 ? headers.get("content-type")?.split(";")[0] : status;
    };
    expect(await typeOf("*/*")).toBe("application/json");
    expect(await typeOf("text/html,application/xhtml+xml,*/*;q=0.8")).toBe("application/json");
    expect(await typeOf("text/csv, application/json")).toBe("text/csv");
    expect(await typeOf("application/json, text/csv")).toBe("application/json");
    expect(await typeOf("text/csv;q=0.5, application/json")).toBe("application/json");
    expect(await typeOf("text/csv; header=present; charset=utf-8, application/json;q=0.9")).toBe("text/csv");
    expect(await typeOf("application/x-ndjson;q=0.5, text/csv;q=0.4")).toBe("application/x-ndjson");
    expect(await typeOf("image/png")).toBe(406);
    expect(await typeOf("text/csv;q=0")).toBe(406);
    for (const accept of ["application/json", "text/csv", "image/png"])
      expect((await get("/posts?limit=1", accept)).headers.get("vary")).toContain("Accept");
    expect((await get("/posts", "image/png")).text).toContain(
      "The response is application/json, text/csv, application/x-ndjson, which",
    );
  });

  it("runs the hooks of the list once before it, and after it for each page of rows", async () => {
    let runs: string[] = [];
    const Post: ModelConfig = {
      export: true,
      hooks: {
        beforeFindMany: (request, _response, next) => {
          runs.push("before");
          request.query.where = { AND: [request.query.where, { id: { lte: 1500 } }] } as never;
          next();
        },
        afterFindMany: (_request, response, next) => {
          const { data = [] } = response.locals;
          runs.push("after");
          response.locals.data = data.map((row) => ({ ...row, extra: "=1" })) as never;
          next();
        },
      },
    };
    await withPost(blog, Post, async ({ url }) => {
      const response = await fetch(`${url}/posts?fields=id`, { headers: { accept: "text/csv" } });
      const [head, ...rows] = (await response.text()).split("\r\n");
      expect([head, rows[0], rows.length]).toEqual(["id,extra", "1,'=1", 1501]);
      expect(runs.filter((run) => run === "before")).toHaveLength(1);
      expect(runs.filter((run) => run === "after").length).toBeGreaterThan(1);
      runs = [];
    });
  });

  it("C102 has the computed fields of each row, without formulas, also without rows", async () => {
    const Post: ModelConfig = {
      export: true,
      computed: {
        formula: { type: z.string(), needs: ["title"], compute: ({ title }) => `=${title}` },
        double: { type: z.int(), needs: ["views"], compute: ({ views }) => 2 * (views as number) },
      },
    };
    await withPost(blog, Post, async ({ url }) => {
      const read = async (query: string, accept: string) =>
        (await fetch(`${url}/posts?${query}`, { headers: { accept } })).text();
      const fields = "fields=id,formula,double";
      expect(await read(`id__in=2,3&sort=id&${fields}`, "text/csv")).toBe(
        "id,formula,double\r\n2,'=post 1,2\r\n3,'=post 2,4\r\n",
      );
      expect(await read(`id=0&${fields}`, "text/csv")).toBe("id,formula,double\r\n");
      expect(JSON.parse(await read(`id=2&${fields}`, "application/x-ndjson"))).toEqual({
        ...{ id: 2, formula: "=post 1", double: 2 },
      });
    });
  });

  it("is off by default", async () => {
    expect((await csv("/comments")).status).toBe(406);
    const { headers } = await get("/comments", "text/csv, */*;q=0.1");
    expect(headers.get("content-type")).toContain("application/json");
    expect(headers.get("vary") ?? "").not.toMatch(/\bAccept\b(?!-)/);
  });

  it("has the headers of a HEAD request without a body", async () => {
    const { status, headers, text } = await get("/posts", "text/csv", { method: "HEAD" });
    expect([status, headers.get("content-type"), text]).toEqual([200, "text/csv; charset=utf-8", ""]);
    expect((await get("/posts?page=1", "text/csv", { method: "HEAD" })).status).toBe(400);
  });
});
