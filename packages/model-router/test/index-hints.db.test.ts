import { readModels } from "@servicekit/prisma";
import { type FindPlanGaps, makeGapFinder } from "@servicekit/prisma/internal";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import type { IndexHint } from "../src/index.js";
import { type Blog, startBlog } from "./blog.js";
import { models as data } from "./generated/blog/models.js";
import { type Served, serveModels } from "./serve-models.js";

const models = readModels(data);
let blog: Blog;
const services: Served[] = [];
beforeAll(async () => {
  blog = await startBlog(inject("postgresUrl"));
});
afterEach(() => Promise.all(services.splice(0).map((service) => service.stop())));
afterAll(() => blog?.close());

/** Serves the blog with hints, which are those of the database unless other gaps are given. */
async function serveHints(given?: (find: FindPlanGaps) => FindPlanGaps) {
  const find = makeGapFinder({ client: blog.client, models, schema: "public" });
  const hints: IndexHint[] = [];
  const errors: unknown[] = [];
  const service = await serveModels(blog.client, models, {}, [], {
    indexHints: {
      findGaps: given?.(find) ?? find,
      report: (hint) => hints.push(hint),
      onError: (error) => errors.push(error),
    },
  });
  services.push(service);
  const list = async (query: string, status = 200) => {
    const response = await service.call("GET", `/${query}`);
    expect([query, response.status]).toEqual([query, status]);
  };
  return { list, hints, errors };
}

/** Ends each test: its hint comes after those of all earlier lists. */
const end = "reactions?sort=-count";
const endHint = "sort=-count,postId,kind";

describe("C126 hints of missing indexes", () => {
  it.each<[string, string | undefined]>([
    ["title=a", "title"],
    ["title=a&authorId=1", "title, authorId"],
    // Fields with one value precede those with a range, and those of the order.
    ["views__gte=5&title=a", "title, views"],
    ["views__lt=5&rating__isNull=true&sort=price", "rating, views, price"],
    ["title__in=a,b&views__lte=5&sort=title", "title, views"],
    ["views__gt=1&views__lt=5", "views"],
    ["sort=title", "title"],
    ["sort=-title", "title"],
    ["sort=-views,-title", "views, title"],
    ["sort=-views,title", "views(sort: Desc), title"],
    ["title=a&sort=-views,price", "title, views(sort: Desc), price"],
    // The index of the key ends each order.
    ["title=a&sort=-id", "title"],
    // An order by a related row is none of an index.
    ["title=a&sort=author.name,views", "title"],
    // Only some operators and columns use such an index.
    ["title__contains=a&views=1", "views"],
    ["tags__has=a&views=1", "views"],
    ["author__name=a&views=1", "views"],
    ["not[title]=a&views=1", "views"],
    ["title__contains=a", undefined],
    ["tags__has=a", undefined],
    ["or[0][title]=a&or[1][views]=1", undefined],
    ["author__name=a", undefined],
    ["id=1", undefined],
    ["sort=id", undefined],
    ["", undefined],
  ])("of the list ?%s name the fields %s", async (query, fields) => {
    const { list, hints, errors } = await serveHints();
    await list(`posts?${query}`);
    await list(end);
    await expect.poll(() => hints.some((hint) => hint.query === endHint)).toBe(true);
    const expected = fields === undefined ? [] : [`@@index([${fields}])`];
    expect(hints.slice(0, -1).map(({ index }) => index)).toEqual(expected);
    expect(errors).toEqual([]);
  });

  it("describe the list by its conditions and its order, without values, and appear once for each", async () => {
    const { list, hints } = await serveHints(() => async () => ({ filter: true, order: true }));
    await list("posts?title=a&data__isNull=true&author__name=Ann&not[views]=1&sort=-views,author.name");
    await list("posts?title=a&or[0][title]=a&or[1][views]=1");
    await list("posts?title=b&title=a&views__gte=3");
    await list("posts?title=c&views__gte=4&limit=3");
    await list("posts?nope=1", 400);
    await list("authors?name=a");
    await list(end);
    await expect.poll(() => hints.length).toBeGreaterThanOrEqual(6);
    expect(hints.map(({ model, query }) => `${model} ${query}`)).toMatchInlineSnapshot(`
      [
        "Post title__equals=…&data__isNull=…&author__is=…&not=…&sort=-views,author,id",
        "Post title__equals=…&or=…&sort=id",
        "Post title__in=…&views__gte=…&sort=id",
        "Post title__equals=…&views__gte=…&sort=id",
        "Author name__equals=…&sort=id",
        "Reaction sort=-count,postId,kind",
      ]
    `);
  });

  it("look for the index again after an error, which prevents no other hint", async () => {
    let isAvailable = false;
    const { list, hints, errors } = await serveHints((find) => async (model, args) => {
      if (!isAvailable && model.name === "Post") throw new Error("unavailable");
      return find(model, args);
    });
    await list("posts?title=a");
    await list(end);
    await expect.poll(() => hints.map(({ model }) => model)).toEqual(["Reaction"]);
    expect(errors).toEqual([new Error("unavailable")]);
    isAvailable = true;
    await list("posts?title=b");
    await expect.poll(() => hints.map(({ index }) => index)).toContain("@@index([title])");
  });

  it("wait for at most 20 lists, and look for the other ones when they appear again", async () => {
    let planned = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { list, hints } = await serveHints((find) => async (model, args) => {
      planned++;
      await released;
      return find(model, args);
    });
    const fields = ["authorId", "views", "price", "big", "rating"];
    const queries = fields.flatMap((field) => fields.map((sort) => `posts?${field}=1&sort=${sort}`));
    for (const query of queries) await list(query);
    expect(planned).toBe(1);
    release();
    await expect.poll(() => hints.length).toBe(20);
    for (const query of queries) await list(query);
    await expect.poll(() => hints.length).toBe(queries.length);
    expect(new Set(hints.map(({ query }) => query)).size).toBe(queries.length);
  });
});
