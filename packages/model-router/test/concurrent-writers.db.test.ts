import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { providers } from "../../../scripts/test/provider-database.js";
import { type Portable, startPortable } from "./portable.js";
import type { TestResponse } from "./serve-models.js";

describe.each(providers)("C113 concurrent writers on %s", (provider) => {
  let served: Portable;
  beforeAll(async () => {
    served = await startPortable(provider, inject("postgresUrl"));
  });
  afterAll(() => served?.close());

  const all = (requests: readonly (() => Promise<TestResponse>)[]): Promise<TestResponse[]> =>
    Promise.all(requests.map((send) => send()));
  const statusesOf = (responses: readonly TestResponse[]): number[] => responses.map(({ status }) => status).sort();
  const list = async (path: string): Promise<readonly Record<string, unknown>[]> =>
    (await served.call("GET", path)).body.data;

  /** A request with the header If-Match. */
  const conditional = async (method: string, path: string, tag: string, body?: unknown): Promise<TestResponse> => {
    const headers = { "content-type": "application/json", "if-match": tag };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(served.url + path, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };

  it("C16 change a row with the same If-Match once", async () => {
    const { body, headers } = await served.call("POST", "/books", { title: "new" });
    const tag = headers.get("etag") ?? "";
    const responses = await all(
      [1, 2, 3, 4, 5, 6, 7, 8].map((pages) => () => conditional("PATCH", `/books/${body.data.id}`, tag, { pages })),
    );
    expect(statusesOf(responses)).toEqual([200, ...Array(7).fill(412)]);
    const changed = responses.find(({ status }) => status === 200);
    expect((await served.call("GET", `/books/${body.data.id}`)).body.data).toEqual(changed?.body.data);
    expect((await conditional("DELETE", `/books/${body.data.id}`, tag)).status).toBe(412);
  });

  it("C14 create all rows of a bulk request or none, when they share a unique value", async () => {
    const responses = await all(
      ["a", "b", "c", "d", "e", "f"].map(
        (name) => () =>
          served.call("POST", "/publishers/many", [{ name: `${name}1` }, { name: "shared" }, { name: `${name}2` }]),
      ),
    );
    expect(statusesOf(responses)).toEqual([201, ...Array(5).fill(409)]);
    const [created] = responses.filter(({ status }) => status === 201);
    const names = (rows: readonly Record<string, unknown>[]): unknown[] => rows.map(({ name }) => name).sort();
    expect(names(await list("/publishers"))).toEqual(names(created?.body.data));
  });

  it("C14 update all rows of a bulk request or none, in opposite orders", async () => {
    const made = await served.call("POST", "/books/many", [{ title: "x" }, { title: "x" }, { title: "x" }]);
    const ids = (made.body.data as readonly { id: number }[]).map(({ id }) => id);
    const responses = await all(
      [1, 2, 3, 4, 5, 6].map((pages) => () => {
        const order = pages % 2 === 0 ? ids : [...ids].reverse();
        return served.call(
          "PATCH",
          "/books/many",
          order.map((id) => ({ id, pages })),
        );
      }),
    );
    expect(statusesOf(responses)).toEqual(Array(6).fill(200));
    const rows = await list(`/books?id__in=${ids.join(",")}`);
    expect(new Set(rows.map(({ pages }) => pages)).size).toBe(1);
  });

  it("C14 delete a row once", async () => {
    const { body } = await served.call("POST", "/books", { title: "once", cover: { color: "red" } });
    const responses = await all([1, 2, 3, 4].map(() => () => served.call("DELETE", `/books/${body.data.id}`)));
    expect(statusesOf(responses)).toEqual([204, 404, 404, 404]);
    expect(await list(`/covers?bookId=${body.data.id}`)).toEqual([]);
  });

  it("C14 read complete rows while bulk requests write them", async () => {
    const made = await served.call(
      "POST",
      "/books/many",
      Array.from({ length: 10 }, () => ({ title: "y", pages: 0 })),
    );
    const ids = (made.body.data as readonly { id: number }[]).map(({ id }) => id);
    const write = (pages: number) => () =>
      served.call(
        "PATCH",
        "/books/many",
        ids.map((id) => ({ id, pages })),
      );
    const read = () => served.call("GET", `/books?id__in=${ids.join(",")}&fields=pages&count=false`);
    const responses = await all([1, 2, 3, 4].flatMap((pages) => [write(pages), read, read]));
    expect(statusesOf(responses)).toEqual(Array(12).fill(200));
    const seen = responses.filter((_, at) => at % 3 > 0);
    for (const { body } of seen)
      expect(new Set((body.data as readonly { pages: number }[]).map(({ pages }) => pages)).size).toBe(1);
  });
});
