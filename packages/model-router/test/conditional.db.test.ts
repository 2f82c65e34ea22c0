import { makeCompressionStep } from "@servicekit/router";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { emptyTables } from "../../../scripts/test/empty-tables.js";
import { type Shelf, startShelf } from "./shelf.js";

let shelf: Shelf;
beforeAll(async () => {
  shelf = await startShelf(inject("postgresUrl"));
});
afterAll(() => shelf?.close());
beforeEach(() => shelf.sql(emptyTables("Publisher", "Book")));

interface Reply {
  readonly status: number;
  readonly tag: string | null;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

async function send(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: unknown,
  url = shelf.url,
): Promise<Reply> {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const result = await fetch(`${url}${path}`, {
    method,
    headers: { ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await result.text();
  return {
    status: result.status,
    tag: result.headers.get("etag"),
    text,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

const strong = /^"[\w-]{27}"$/;
const weak = /^W\/"[\w-]{27}"$/;
const book = (title = "One") => send("POST", "/books", {}, { title });

describe("C16 the tag of a response", () => {
  it("is strong for a complete row, the same after a create, an update and a read, and weak for any other read", async () => {
    const created = await book();
    expect(created.tag).toMatch(strong);
    const read = await send("GET", "/books/1");
    expect(read.tag).toBe(created.tag);
    expect(read.text).toBe(created.text);
    const changed = await send("PATCH", "/books/1", {}, { title: "Two" });
    expect(changed.tag).toMatch(strong);
    expect(changed.tag).not.toBe(created.tag);
    expect((await send("GET", "/books/1")).tag).toBe(changed.tag);
    expect((await send("HEAD", "/books/1")).tag).toBe(changed.tag);
    for (const path of ["/books/1?fields=id", "/books/1?include=publisher", "/books", "/books?fields=id"]) {
      expect((await send("GET", path)).tag, path).toMatch(weak);
    }
    for (const [method, body] of [
      ["POST", [{ title: "x" }]],
      ["PATCH", [{ id: 1, title: "y" }]],
    ] as const) {
      expect((await send(method, "/books/many", {}, body)).tag).toBeNull();
    }
  });

  it("does not move with hidden fields, and moves with every visible one", async () => {
    const { tag } = await send("POST", "/publishers", {}, { name: "P" });
    await shelf.sql(`UPDATE "Publisher" SET secret = 'another'`);
    expect((await send("GET", "/publishers/1")).tag).toBe(tag);
    expect((await send("PATCH", "/publishers/1", { "if-match": tag ?? "" }, { city: "Bern" })).status).toBe(200);
    expect((await send("GET", "/publishers/1")).tag).not.toBe(tag);
  });
});

describe("C16 If-None-Match", () => {
  it("returns 304 without a body and with the same tag, for one tag of a list, its weak form and *", async () => {
    const { tag } = await book();
    for (const given of [tag, `"x", ${tag}`, `W/${tag}`, `,, "a,b" ,${tag}`, "*"]) {
      for (const method of ["GET", "HEAD"]) {
        const reply = await send(method, "/books/1", { "if-none-match": given ?? "" });
        expect([reply.status, reply.text, reply.tag], String(given)).toEqual([304, "", tag]);
      }
    }
    const list = await send("GET", "/books?title=One");
    expect((await send("GET", "/books?title=One", { "if-none-match": list.tag ?? "" })).status).toBe(304);
    await send("PATCH", "/books/1", {}, { pages: 3 });
    expect((await send("GET", "/books?title=One", { "if-none-match": list.tag ?? "" })).status).toBe(200);
    expect((await send("GET", "/books/1", { "if-none-match": tag ?? "" })).status).toBe(200);
  });

  it("C71 applies to a long list, page by page", async () => {
    const titles = Array.from({ length: 90 }, (_, index) => `${index} “愛” \\\\ ${"é".repeat(300)}`);
    await send(
      "POST",
      "/books/many",
      {},
      titles.map((title) => ({ title })),
    );
    for (const page of ["page=1", "cursor=&sort=id"]) {
      const path = `/books?limit=80&${page}`;
      const list = await send("GET", path);
      const rows = await Promise.all(list.body.data.map(({ id }: { id: number }) => send("GET", `/books/${id}`)));
      const texts = rows.map(({ text }: Reply) => text.slice('{"data":'.length, -1));
      expect(list.text.startsWith(`{"data":[${texts.join(",")}],"meta":{`), page).toBe(true);
      expect([list.body.meta.count, list.tag]).toEqual([80, expect.stringMatching(weak)]);
      expect((await send("HEAD", path)).tag).toBe(list.tag);
      expect((await send("GET", path, { "if-none-match": list.tag ?? "" })).status).toBe(304);
      await send("PATCH", `/books/${list.body.data.at(-1).id}`, {}, { pages: page.length });
      expect((await send("GET", path, { "if-none-match": list.tag ?? "" })).status).toBe(200);
    }
    const { body } = await send("GET", "/books?limit=80&cursor=&sort=id");
    const next = await send("GET", `/books?limit=80&sort=id&cursor=${body.meta.nextCursor}`);
    expect(next.body.data.map(({ title }: { title: string }) => title)).toEqual(titles.slice(80));
  });

  it("is ignored if it is malformed, and never hides an error", async () => {
    await book();
    for (const given of ["x", '"', "W/", '"a" "b"', "*, *"]) {
      expect((await send("GET", "/books/1", { "if-none-match": given })).status, given).toBe(200);
    }
    expect((await send("GET", "/books/9", { "if-none-match": "*" })).status).toBe(404);
  });

  it("returns 412 for a write of an existing row", async () => {
    const { tag } = await book();
    for (const given of ["*", tag ?? "", `W/${tag}`]) {
      expect((await send("PATCH", "/books/1", { "if-none-match": given }, { title: "x" })).status).toBe(412);
      expect((await send("DELETE", "/books/1", { "if-none-match": given })).status).toBe(412);
    }
    expect((await send("PATCH", "/books/1", { "if-none-match": '"other"' }, { title: "x" })).status).toBe(200);
  });
});

describe("C16 If-Match", () => {
  it("accepts a write while the row is unchanged, and returns 412 afterwards", async () => {
    const { tag } = await book();
    const first = await send("PATCH", "/books/1", { "if-match": `"x", ${tag}` }, { title: "Two" });
    expect(first.status).toBe(200);
    const second = await send("PATCH", "/books/1", { "if-match": tag ?? "" }, { title: "Three" });
    expect([second.status, second.body.code, second.tag]).toEqual([412, "PreconditionFailed", null]);
    expect((await send("DELETE", "/books/1", { "if-match": tag ?? "" })).status).toBe(412);
    expect((await send("GET", "/books/1")).body.data.title).toBe("Two");
    expect((await send("GET", "/books/1", { "if-match": tag ?? "" })).status).toBe(412);
    expect((await send("GET", "/books/1", { "if-match": first.tag ?? "" })).status).toBe(200);
    expect((await send("DELETE", "/books/1", { "if-match": first.tag ?? "" })).status).toBe(204);
  });

  it("compares strongly, accepts *, and returns 400 for a malformed value", async () => {
    const { tag } = await book();
    const weakTag = await send("PATCH", "/books/1", { "if-match": `W/${tag}` }, { title: "x" });
    expect([weakTag.status, weakTag.body.detail]).toEqual([412, expect.stringContaining("requires a strong tag")]);
    const weakRead = await send("GET", "/books/1", { "if-match": `W/${tag}` });
    expect([weakRead.status, weakRead.body.detail]).toEqual([412, expect.stringContaining("requires a strong tag")]);
    expect((await send("PATCH", "/books/1", { "if-match": '""' }, { title: "x" })).status).toBe(412);
    for (const given of [tag?.slice(1, -1) ?? "", '"', "*, *", `${tag} ${tag}`]) {
      const { status, body } = await send("PATCH", "/books/1", { "if-match": given }, { title: "x" });
      expect([status, body.errors?.[0]?.path]).toEqual([400, "/if-match"]);
    }
    expect((await send("GET", "/books/1")).body.data.title).toBe("One");
    expect((await send("PATCH", "/books/1", { "if-match": "*" }, { title: "x" })).status).toBe(200);
  });

  it("returns 404 for a missing row, whatever the tag", async () => {
    for (const given of ["*", '"x"']) {
      expect((await send("PATCH", "/books/9", { "if-match": given }, { title: "x" })).status).toBe(404);
      expect((await send("DELETE", "/books/9", { "if-match": given })).status).toBe(404);
    }
    expect((await send("PATCH", "/books/x", { "if-match": "*" }, { title: "x" })).status).toBe(404);
  });

  it("returns the same message as a read for a missing row, with and without a tag", async () => {
    const reported = async (method: string, headers: Record<string, string>, body?: object) =>
      (await send(method, "/books/9", headers, body)).body.detail;
    const read = await reported("GET", {});
    expect(read).toBe("No book has this id.");
    for (const headers of [{}, { "if-match": "*" }] as Record<string, string>[]) {
      expect([await reported("PATCH", headers, { title: "x" }), await reported("DELETE", headers)]).toEqual([
        read,
        read,
      ]);
    }
  });

  it("accepts one of three concurrent writes, in each of twenty rounds", async () => {
    let { tag } = await book();
    for (let round = 0; round < 20; round++) {
      const replies = await Promise.all(
        [1, 2, 3].map((pages) => send("PATCH", "/books/1", { "if-match": tag ?? "" }, { pages: round * 10 + pages })),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
      const won = replies.find(({ status }) => status === 200);
      const read = await send("GET", "/books/1");
      expect(read.tag).toBe(won?.tag);
      tag = read.tag;
    }
    const deletes = await Promise.all([1, 2, 3].map(() => send("DELETE", "/books/1", { "if-match": tag ?? "" })));
    expect(deletes.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
  });

  it("adds no statement to a write without it", async () => {
    await book();
    const plain = await shelf.statements(() => send("PATCH", "/books/1", {}, { title: "x" }));
    expect(plain.filter((sql) => sql.includes("FOR UPDATE"))).toEqual([]);
    const guarded = await shelf.statements(() => send("PATCH", "/books/1", { "if-match": "*" }, { title: "x" }));
    expect(guarded.filter((sql) => sql.includes("FOR UPDATE"))).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ["int-keys", { id: -7 }],
    ["big-int-keys", { id: "9007199254740993" }],
    ["text-keys", { id: `a/b,"c" '%' 🎵` }],
    ["uuid-keys", { id: "6f2c1f0e-6a9e-4a52-9a0e-0d1e4b3f2a11" }],
    ["char-keys", { id: "ab" }],
    ["enum-keys", { id: "LARGE" }],
    ["date-time-keys", { id: "2024-01-31T12:00:00.123Z" }],
    ["day-keys", { id: "2024-01-31" }],
    ["decimal-keys", { id: "12.5" }],
    ["float-keys", { id: 0.1 }],
    ["bytes-keys", { id: "AP8=" }],
    ["inet-keys", { id: "10.0.0.1" }],
    ["boolean-keys", { id: true }],
    ["unique-keys", { code: "c" }],
    ["set-keys", { left: 1, right: "x,y" }],
    ["pair-keys", { text: "a,b", day: "2024-01-31", size: "SMALL" }],
  ])("locks the row of %s by its key", async (path, key) => {
    const made = await fetch(`${shelf.url}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(key),
    });
    expect(made.status).toBe(201);
    const row = (made.headers.get("location") ?? "").replace("/api", "");
    const tag = made.headers.get("etag") ?? "";
    expect((await send("GET", row)).tag).toBe(tag);
    const changed = await send("PATCH", row, { "if-match": tag }, { note: "n" });
    expect(changed.status).toBe(200);
    expect((await send("PATCH", row, { "if-match": tag }, { note: "m" })).status).toBe(412);
    expect((await send("DELETE", row, { "if-match": tag })).status).toBe(412);
    expect((await send("DELETE", row, { "if-match": changed.tag ?? "" })).status).toBe(204);
  });
});

describe("C16 tags of compressed responses", () => {
  let url: string;
  beforeAll(async () => {
    url = (await shelf.serve({}, [makeCompressionStep({ threshold: 0 })])).url;
  });
  const call = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    send(method, path, headers, body, url);

  it.each(["gzip", "br", "deflate"])(
    "%s has a strong tag of its own, which every condition understands",
    async (coding) => {
      await book();
      const plain = await call("GET", "/books/1", { "accept-encoding": "identity" });
      expect(plain.tag).toMatch(strong);
      const read = await call("GET", "/books/1", { "accept-encoding": coding });
      expect(read.text).toBe(plain.text);
      expect(read.tag).toBe(`${plain.tag?.slice(0, -1)}-${coding}"`);
      const again = await call("GET", "/books/1", { "accept-encoding": coding, "if-none-match": `"x", ${read.tag}` });
      expect([again.status, again.tag]).toEqual([304, read.tag]);
      const changed = await call(
        "PATCH",
        "/books/1",
        { "accept-encoding": coding, "if-match": read.tag ?? "" },
        { pages: 1 },
      );
      expect(changed.status).toBe(200);
      expect(changed.tag).toMatch(new RegExp(`-${coding}"$`));
      expect((await call("PATCH", "/books/1", { "if-match": read.tag ?? "" }, { pages: 2 })).status).toBe(412);
      expect((await call("DELETE", "/books/1", { "if-match": changed.tag ?? "" })).status).toBe(204);
    },
  );

  it("does not change weak tags, which only mean that the rows are equal", async () => {
    await book();
    const plain = await call("GET", "/books", { "accept-encoding": "identity" });
    const read = await call("GET", "/books", { "accept-encoding": "gzip" });
    expect([plain.tag, read.tag]).toEqual([expect.stringMatching(weak), plain.tag]);
  });
});

describe("C16 C45 tags and hooks", () => {
  it("a row to which a hook adds has a strong tag, which a write accepts", async () => {
    let mood = "calm";
    const models = {
      Book: {
        hooks: {
          afterFindOne: (
            _request: unknown,
            response: { locals: { data: Record<string, unknown> } },
            next: () => void,
          ) => {
            response.locals.data = { ...response.locals.data, mood };
            next();
          },
        },
      },
    };
    const { url } = await shelf.serve({ models: models as never });
    await book();
    const read = await send("GET", "/books/1", {}, undefined, url);
    expect(read.tag).toMatch(/^"[\w-]{27}\.[\w-]{27}"$/);
    mood = "wild";
    const other = await send("GET", "/books/1", { "if-none-match": read.tag ?? "" }, undefined, url);
    expect([other.status, other.body?.data.mood]).toEqual([200, "wild"]);
    expect(other.tag).not.toBe(read.tag);
    const changed = await send("PATCH", "/books/1", { "if-match": read.tag ?? "" }, { pages: 1 }, url);
    expect(changed.status).toBe(200);
    expect((await send("PATCH", "/books/1", { "if-match": other.tag ?? "" }, { pages: 2 }, url)).status).toBe(412);
  });

  it("a row from which a hook removes a field has a weak tag", async () => {
    const afterFindOne = (
      _request: unknown,
      response: { locals: { data: Record<string, unknown> } },
      next: () => void,
    ) => {
      response.locals.data = { id: response.locals.data.id };
      next();
    };
    const { url } = await shelf.serve({ models: { Book: { hooks: { afterFindOne } } } as never });
    await book();
    expect((await send("GET", "/books/1", {}, undefined, url)).tag).toMatch(weak);
  });
});

describe("C16 C30 tags and rules of rows and fields", () => {
  it("are of what the caller sees, and a row outside does not exist", async () => {
    const models = { Book: { auth: { where: () => ({ pages: { gt: 10 } }) } } };
    const { url } = await shelf.serve({ models: models as never });
    await send("POST", "/books", {}, { title: "In", pages: 11 });
    await send("POST", "/books", {}, { title: "Out", pages: 9 });
    const { tag } = await send("GET", "/books/1", {}, undefined, url);
    expect((await send("PATCH", "/books/1", { "if-match": tag ?? "" }, { title: "x" }, url)).status).toBe(200);
    expect((await send("PATCH", "/books/2", { "if-match": "*" }, { title: "x" }, url)).status).toBe(404);
    expect((await send("DELETE", "/books/2", { "if-match": '"x"' }, undefined, url)).status).toBe(404);
  });
});
