import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Blog, startBlog } from "./blog.js";

let blog: Blog;
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
});
afterAll(() => blog?.close());
beforeEach(async () => {
  await blog.client.post.deleteMany();
  await blog.client.author.deleteMany();
});

const total = async (query: string) => (await blog.call("GET", `/posts?${query}`)).body.meta.total;

describe("C18 text operators read %, _ and \\ literally", () => {
  const titles = ["100%", "100 of", "a_b", "axb", "back\\slash", "end\\"];
  beforeEach(() => blog.client.post.createMany({ data: titles.map((title) => ({ title })) }));

  it.each([
    ["title__contains=%25", 1],
    ["title__icontains=%25", 1],
    ["title__startsWith=100%25", 1],
    ["title__endsWith=%25", 1],
    ["title__contains=_", 1],
    ["title__istartsWith=A_", 1],
    ["title__iequals=A_B", 1],
    ["title__iequals=%25", 0],
    ["title__contains=%5C", 2],
    ["title__endsWith=%5C", 1],
    ["title__iequals=end%5C", 1],
    ["title=a_b", 1],
    ["search=%25", 1],
  ])("%s finds %i", async (query, count) => {
    expect(await total(query)).toBe(count);
  });
});

describe("C18 an operand is never an object", () => {
  it.each([
    "title[_ref]=title&title[_container]=Post",
    "title[equals][_ref]=title&title[equals][_container]=Post",
    "title__equals___ref=title",
    "data[equals]={%22_ref%22:%22title%22,%22_container%22:%22Post%22}",
  ])("returns 400 for ?%s", async (query) => {
    const { status, body } = await blog.call("GET", `/posts?${query}`);
    expect([status, body.errors?.[0]?.in ?? body.code]).toEqual([400, "query"]);
  });
});

describe("C14 a bulk change without a criterion changes nothing", () => {
  const queries = [
    "",
    "?id=undefined",
    "?x=undefined",
    "?page=1",
    "?sort=-id",
    "?limit=5",
    "?title=",
    "?title__contains=",
    "?title__notIn=",
    "?id__gte=-2147483648",
    "?views__isNull=false",
    "?isPinned__in=true,false",
    "?status__in=DRAFT,PUBLISHED",
    "?or=",
    "?or[0]=",
    "?and[0]",
    "?not=",
    "?or[0][title]=a&or[1][title__contains]=",
    "?not[id__gt]=2147483647",
    "?comments__none__postId__lt=-2147483648",
    "?undefined",
    "?__proto__[id]=1",
    "?toString=1",
  ];
  beforeEach(() => blog.client.post.createMany({ data: [{ title: "a" }, { title: "b" }] }));

  it.each(queries)("rejects DELETE and PATCH /posts/many%s", async (query) => {
    const removed = await blog.call("DELETE", `/posts/many${query}`);
    const changed = await blog.call("PATCH", `/posts/many${query}`, { title: "lost" });
    expect([removed.status, changed.status]).toEqual([400, 400]);
    expect(await blog.client.post.count({ where: { title: { in: ["a", "b"] } } })).toBe(2);
  });

  it("rejects an empty list of ids", async () => {
    expect((await blog.call("DELETE", "/posts/many", { ids: [] })).status).toBe(400);
    expect((await blog.call("DELETE", "/posts/many", [])).status).toBe(400);
    expect(await blog.client.post.count()).toBe(2);
  });
});

describe("C7 treats an id that cannot be of the id's type as missing", () => {
  it.each(["1.5", "1e0", "01", "+1", "abc", "undefined", "null", "9999999999", "%00", "%ff", "-0", "1,2", "__proto__"])(
    "%s",
    async (id) => {
      await blog.client.$executeRaw`INSERT INTO "Post" (id, title) VALUES (1, 'one')`;
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const { status } = await blog.call(method, `/posts/${id}`, method === "PATCH" ? { title: "x" } : undefined);
        expect([method, status]).toEqual([method, id === "%ff" ? 400 : 404]);
      }
      expect(await blog.client.post.count({ where: { title: "one" } })).toBe(1);
    },
  );
});

describe("C12 nothing is silently truncated or rounded", () => {
  it.each([
    ["1.5 for an integer", '{"title":"a","views":1.5}', "/views"],
    ["1e400", '{"title":"a","rating":1e400}', "/rating"],
    ["1e400 for an integer", '{"title":"a","views":1e400}', "/views"],
    ["three decimals in two places", '{"title":"a","price":"1.005"}', "/price"],
    ["2^53+1 as a number", '{"title":"a","big":9007199254740993}', "/big"],
    ["a lone surrogate", '{"title":"\\ud800"}', "/title"],
    ["NUL", '{"title":"\\u0000"}', "/title"],
    ["NUL inside JSON", '{"title":"a","data":{"x":"\\u0000"}}', "/data"],
    ["an unknown key", '{"title":"a","toString":1}', "/toString"],
    ["an id with a default", '{"title":"a","id":7}', "/id"],
    ["a date that is set for it", '{"title":"a","createdAt":"2020-01-01T00:00:00Z"}', "/createdAt"],
    ["null where it is required", '{"title":null}', "/title"],
    ["an object for a text", '{"title":{"set":"x"}}', "/title"],
    ["an operation for a number", '{"title":"a","views":{"increment":1}}', "/views"],
  ])("rejects %s", async (_title, body, pointer) => {
    const { status, body: problem } = await blog.call("POST", "/posts", body);
    expect([status, problem.code]).toEqual([400, "ValidationError"]);
    expect(problem.errors).toEqual([expect.objectContaining({ in: "body", path: pointer })]);
    expect(await blog.client.post.count()).toBe(0);
  });

  it("rejects a key __proto__ anywhere in a body", async () => {
    for (const body of ['{"title":"a","__proto__":{"views":9}}', '{"title":"a","data":{"a":[{"__proto__":1}]}}']) {
      expect((await blog.call("POST", "/posts", body)).status).toBe(400);
    }
    expect(await blog.client.post.count()).toBe(0);
  });
});

it("C20 rejects 20,000 OR terms immediately", async () => {
  const query = Array.from({ length: 20_000 }, (_, i) => `or[${i}][views]=1`).join("&");
  expect((await blog.call("GET", `/posts?${query.slice(0, 15_000)}`)).status).toBe(414);
  const short = Array.from({ length: 150 }, (_, i) => `or[${i}][views]=1`).join("&");
  expect((await blog.call("GET", `/posts?${short}`)).body).toMatchObject({ status: 400, code: "QueryLimitExceeded" });
  expect((await blog.call("GET", `/posts?views__in=${"1,".repeat(3000)}1`)).status).toBe(400);
});
