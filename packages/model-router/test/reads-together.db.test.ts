import http from "node:http";
import type { Models } from "@servicekit/prisma";
import { sqlExecutor } from "@servicekit/prisma/internal";
import { callerOf } from "@servicekit/router";
import type { Request } from "express";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { chosenWays } from "../../../scripts/test/chosen-ways.js";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { splitExecutor } from "../../../scripts/test/split-executor.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";
import { seedWorld } from "./two-databases.js";

let database: World;
let guarded: Guarded;
/** The number of keys of each statement for many. */
const together: number[] = [];
beforeAll(async () => {
  database = await makeWorld(inject("postgresUrl"), (client: object, models: Models) => {
    const { link } = adapterOf(client);
    const query: typeof link.query = (sql, values) => {
      if (sql.includes("unnest(")) together.push((values.at(-1) as readonly unknown[]).length);
      return link.query(sql, values);
    };
    const own = { isOpen: () => link.isOpen(), query, decimal: link.decimal };
    const { executor } = chosenWays(client, models);
    const bySql = sqlExecutor({ client, link: own, models, schema: "public" });
    return { executor: splitExecutor({ reads: [bySql, executor], writes: [executor] }) };
  });
  await seedWorld(database, { secret: "s", score: "1", subtitle: "NULL", writer: "", share: "60", outside: [] });
  const has = (request: Request, role: string): boolean => callerOf(request)?.roles.includes(role) === true;
  guarded = await database.serve({
    models: {
      Book: {
        auth: {
          where: (request) => (has(request, "editor") ? true : { pages: { lt: has(request, "reader") ? 300 : 150 } }),
          fields: { "*": ["id", "title"], editor: ["pages", "price", "publisher", "tags"], reader: ["pages"] },
        },
      },
      Tag: { auth: { where: (request) => (has(request, "editor") ? true : { name: { not: "b" } }) } },
      Publisher: { auth: { where: async (request) => (has(request, "editor") ? true : { city: "Bern" }) } },
    },
  });
});
afterAll(() => database?.close());

const callers: readonly Who[] = [undefined, ["reader"], ["editor"], ["reader", "editor"], "root"];
const paths = [
  ...[1, 2, 3, 4, 5, 6, 77, 2147483648].map((id) => `/books/${id}`),
  ...[1, 2, 4].map((id) => `/books/${id}?include=publisher,tags`),
  ...[1, 2, 3].map((id) => `/books/${id}?fields=title`),
  ...["1,1", "1,2", "2,1", "9,9", "1"].map((key) => `/authorships/${key}`),
  ...["a", "b", "c", "%00", "x%2Cy"].map((name) => `/tags/${name}`),
  ...[1, 2, 99].map((id) => `/publishers/${id}?include=books`),
];
const calls = paths.flatMap((path) => callers.map((who) => ({ path, who })));
const responseOf = async ({ path, who }: (typeof calls)[number]) => {
  const { status, text, etag } = await guarded.call("GET", path, undefined, who);
  return { path, who, status, etag, text: text.replace(/"requestId":"[^"]*"/, "") };
};

it("C71 C30 concurrent callers get the same rows and fields as alone", async () => {
  const alone: Awaited<ReturnType<typeof responseOf>>[] = [];
  for (const call of calls) alone.push(await responseOf(call));
  expect(together).toEqual([]);
  expect([...new Set(alone.map(({ status }) => status))]).toEqual(expect.arrayContaining([200, 404]));
  for (let round = 0; round < 2; round++) {
    const turned = [...calls.slice(round * 58), ...calls.slice(0, round * 58)];
    const found = await Promise.all(turned.map(responseOf));
    for (const response of found) {
      expect(response).toEqual(alone.find(({ path, who }) => path === response.path && who === response.who));
    }
  }
  expect(together.length).toBeGreaterThan(0);
  expect(Math.max(...together)).toBeGreaterThan(1);
  expect(guarded.logged).toEqual([]);
});

/** Sends a request and disconnects before its response. */
const leave = (path: string): Promise<void> =>
  new Promise((resolve) => {
    const request = http.get({ host: "127.0.0.1", port: guarded.port, path: `/api${path}` });
    request.on("error", () => undefined);
    request.on("close", resolve);
    request.on("finish", () => request.destroy());
  });

it("C71 a disconnect does not abort the reads of others", async () => {
  const [responses] = await Promise.all([
    Promise.all([1, 2, 6].map((id) => responseOf({ path: `/books/${id}`, who: "root" }))),
    Promise.all([1, 2, 6].map((id) => leave(`/books/${id}`))),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
});
