import http from "node:http";
import { prismaExecutor, sqlExecutor } from "@servicekit/prisma/internal";
import type { RequestHandler } from "express";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { adapterOf } from "../../../scripts/test/client-adapter.js";
import { splitExecutor } from "../../../scripts/test/split-executor.js";
import { type Guarded, makeWorld, type Who, type World } from "./guarded.js";

const rows = 4_000;
/** Maximum size of a response; the rows of one query may have four times as much. */
const maxBytes = 250_000;
let world: World;
let served: Guarded;
/** The number of pages that were read, by the header `x-name` of the request. */
const pages = new Map<string, number>();

beforeAll(async () => {
  world = await makeWorld(inject("postgresUrl"), (client, models) => {
    const { link } = adapterOf(client);
    const reads = [sqlExecutor({ client, link, models, schema: "public", maxBytes }), prismaExecutor];
    return { executor: splitExecutor({ reads, writes: [prismaExecutor] }) };
  });
  await world.sql(`INSERT INTO "Person" (name) SELECT repeat('x', 2500) || n FROM generate_series(1, ${rows}) n`);
  const countPage: RequestHandler = (request, _response, next) => {
    const name = String(request.headers["x-name"]);
    pages.set(name, (pages.get(name) ?? 0) + 1);
    next();
  };
  served = await world.serve({
    exportRows: rows,
    models: { Person: { export: true, hooks: { afterFindMany: countPage } } },
  });
});
afterAll(async () => {
  await world?.close();
});

const request = (headers: Record<string, string> = {}, target = "/api/people") =>
  new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .get({ port: served.port, host: "127.0.0.1", path: target, headers: { accept: "text/csv", ...headers } }, resolve)
      .on("error", reject);
  });

async function readAll(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

describe("C104 the stream of an export", () => {
  it("is read no faster than the client receives it, and ends with the connection", async () => {
    const readWhole = async (name: string) => {
      expect((await readAll(await request({ "x-name": name }))).split("\r\n")).toHaveLength(rows + 2);
      return pages.get(name) as number;
    };
    const response = await request({ "x-name": "slow" });
    await new Promise((resolve) => response.once("readable", resolve));
    // An export that started later is complete, and this one still waits for its client.
    const all = await readWhole("while it waits");
    expect(pages.get("slow")).toBeLessThan(all);
    response.destroy();
    expect(await readWhole("after it ended")).toBe(all);
    expect(pages.get("slow")).toBeLessThan(all);
    expect(served.logged).toEqual([]);
  });

  it("serves many clients at the same time", async () => {
    const target = "/api/people?id__lte=1000";
    const texts = await Promise.all(Array.from({ length: 8 }, async () => readAll(await request({}, target))));
    for (const text of texts) expect(text.split("\r\n")).toHaveLength(1002);
  });

  it("reads fewer rows at a time if they are large", async () => {
    await world.sql(`INSERT INTO "Person" (name) SELECT '!' || repeat('y', 50000) FROM generate_series(1, 60)`);
    try {
      for (const order of ["name", "id"]) {
        const response = await request({ "x-name": order }, `/api/people?name__startsWith=!&sort=${order}`);
        expect((await readAll(response)).split("\r\n")).toHaveLength(62);
        expect(pages.get(order)).toBeGreaterThan(1);
      }
    } finally {
      await world.sql(`DELETE FROM "Person" WHERE name LIKE '!%'`);
    }
  });

  it("that fails in the middle aborts the connection", async () => {
    const response = await request();
    expect(response.statusCode).toBe(200);
    // The rows after the first pages no longer have the table's columns.
    await world.sql('ALTER TABLE "Person" RENAME TO "Gone"');
    try {
      await expect(readAll(response)).rejects.toThrow("aborted");
    } finally {
      await world.sql('ALTER TABLE "Gone" RENAME TO "Person"');
    }
    expect(served.logged).toHaveLength(1);
    served.logged.length = 0;
  });
});

describe("C104 an export with access rules", () => {
  it("has the rows and fields of the caller", async () => {
    const guarded = await world.serve(
      {
        exportRows: rows,
        models: {
          Person: {
            export: true,
            auth: {
              findMany: { rule: ["reader", "admin"], where: () => ({ id: { lte: 3 } }) },
              fields: { "*": ["id"], admin: ["name"] },
            },
          },
        },
      },
      true,
    );
    const get = async (who: Who) => {
      const { status, text } = await guarded.call("GET", "/people?sort=-id", undefined, who, { accept: "text/csv" });
      return [status, text.replaceAll(/x{2500}/g, "x")];
    };
    expect(await get(["reader"])).toEqual([200, "id\r\n3\r\n2\r\n1\r\n"]);
    expect(await get(["admin"])).toEqual([200, "id,name\r\n3,x3\r\n2,x2\r\n1,x1\r\n"]);
    expect((await get(["other"]))[0]).toBe(403);
    expect((await get(undefined))[0]).toBe(401);
  });
});
