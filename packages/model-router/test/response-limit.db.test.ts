import type { DatabaseSettings, Models } from "@servicekit/prisma";
import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { splitExecutor } from "../../../scripts/test/split-executor.js";
import { type Guarded, makeWorld, type World } from "./guarded.js";

const maxBytes = 100_000;

/** Rows whose titles have characters that JSON escapes, and that take several bytes. */
const title = `"é🎵\\`.repeat(1_000);
const titleBytes = Buffer.byteLength(JSON.stringify(title));

const ways: Readonly<
  Record<string, (client: object, models: Models) => Pick<DatabaseSettings, "executor" | "maxBytes">>
> = {
  sql: (client, models) => {
    const adapter = adapterOf(client);
    const settings = { client, link: adapter.link, models, schema: "public", maxBytes };
    const both = [sqlExecutor(settings), prismaExecutor];
    return { executor: splitExecutor({ reads: both, writes: both }), maxBytes };
  },
  prisma: () => ({ maxBytes }),
};

describe.each(Object.keys(ways))("with reads and writes by %s", (way) => {
  let database: World;
  let served: Guarded;
  let hooked: Guarded;
  beforeAll(async () => {
    database = await makeWorld(inject("postgresUrl"), ways[way]);
    const passOn: RequestHandler = (_request, _response, next) => next();
    served = await database.serve({ responseBytes: maxBytes, models: { Book: { writable: ["cover"] } } });
    hooked = await database.serve({
      responseBytes: maxBytes,
      models: { Book: { writable: ["cover"], hooks: { afterFindMany: passOn, afterUpdateMany: passOn } } },
    });
  });
  afterAll(() => database?.close());
  beforeEach(async () => {
    await database.sql('TRUNCATE "Book", "Publisher" RESTART IDENTITY CASCADE');
    await database.sql("INSERT INTO \"Publisher\" (\"full name\", secret) VALUES ('one', 'a')");
    await database.sql(
      'INSERT INTO "Book" (title, "publisherId", "updatedAt") SELECT $1, 1, now() FROM generate_series(1, 30)',
      title,
    );
  });

  const call = async (method: string, path: string, sent?: unknown, of = served) => {
    const { status, text } = await of.call(method, path, sent, "root");
    // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
    const body = JSON.parse(text) as any;
    return { reported: status === 200 ? 200 : `${status} ${body.code}`, status, bytes: Buffer.byteLength(text), body };
  };

  it("C88 returns a list within the limit, and 400 with a fitting limit for a larger one", async () => {
    const fitting = Math.floor(maxBytes / (titleBytes + 250));
    for (const of of [served, hooked]) {
      const small = await call("GET", `/books?limit=${fitting}`, undefined, of);
      expect(small.reported).toBe(200);
      expect(small.bytes).toBeGreaterThan(maxBytes / 2);
      const large = await call("GET", "/books?limit=30", undefined, of);
      expect(large.reported).toBe("400 ResponseTooLarge");
      const [, hint] = /limit=(\d+) fits/.exec(large.body.detail) ?? [];
      expect(large.body.detail).toContain(`exceeds ${maxBytes} bytes (limits.response)`);
      expect((await call("GET", `/books?limit=${hint}`, undefined, of)).status).toBe(200);
      expect((await call("GET", `/books?limit=${Number(hint) + 1}`, undefined, of)).status).toBe(400);
      expect((await call("GET", "/books?limit=30&fields=id,pages", undefined, of)).status).toBe(200);
    }
    expect([...served.logged, ...hooked.logged]).toEqual([]);
  });

  it("C88 continues a cursor with the smaller limit of the error", async () => {
    const ids: number[] = [];
    let cursor: string | null = "";
    let limit = "30";
    while (cursor !== null) {
      const { status, body } = await call("GET", `/books?cursor=${encodeURIComponent(cursor)}&limit=${limit}`);
      if (status === 400) [, limit = ""] = /limit=(\d+) fits/.exec(body.detail) ?? [];
      else {
        ids.push(...body.data.map(({ id }: { readonly id: number }) => id));
        cursor = body.meta.nextCursor;
      }
    }
    expect(ids).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  });

  it("C88 returns 400 for a row whose fields or related rows exceed the limit", async () => {
    await database.sql('UPDATE "Book" SET subtitle = $1 WHERE id = 1', "x".repeat(maxBytes));
    for (const path of ["/books/1", "/publishers/1?include=books", "/publishers?include=books"]) {
      expect((await call("GET", path)).reported, path).toBe("400 ResponseTooLarge");
    }
    expect(await call("GET", "/books/1?fields=id")).toMatchObject({ status: 200, body: { data: { id: 1 } } });
    // Rows that are read together fail alone.
    const together = await Promise.all([1, 2, 3].map((id) => call("GET", `/books/${id}`)));
    expect(together.map(({ status }) => status)).toEqual([400, 200, 200]);
  });

  it("C88 returns the row of a write whatever its size", async () => {
    await database.sql('UPDATE "Book" SET subtitle = $1 WHERE id = 1', "x".repeat(2 * maxBytes));
    const { status, body } = await call("PATCH", "/books/1", { pages: 7 });
    expect([status, body.data.pages, body.data.subtitle.length]).toEqual([200, 7, 2 * maxBytes]);
  });

  it("C88 changes nothing in a bulk update whose rows exceed the limit", async () => {
    const items = (count: number) => Array.from({ length: count }, (_, at) => ({ id: at + 1, pages: 9 }));
    for (const of of [served, hooked]) {
      for (const [path, body] of [
        ["/books/many", items(30)],
        ["/books/many?id__gte=1", { pages: 9 }],
        ["/books/many", items(30).map((item) => ({ ...item, cover: { color: "red" } }))],
      ] as const) {
        const response = await call("PATCH", path, body, of);
        expect(response.reported, JSON.stringify(body).slice(0, 80)).toBe("400 ResponseTooLarge");
        expect(await database.sql('SELECT 1 FROM "Book" WHERE pages = 9')).toEqual([]);
      }
    }
    expect((await call("PATCH", "/books/many", items(5))).status).toBe(200);
    expect(await database.sql('SELECT 1 FROM "Book" WHERE pages = 9')).toHaveLength(5);
  });
});
