import { randomInt } from "node:crypto";
import type { DatabaseConfig } from "@servicekit/service";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { makeDraw } from "../../../../scripts/test/random-draw.js";
import { drawn } from "../../../../scripts/test/slow-share.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/trash/client/client.js";
import { models } from "../generated/trash/models.js";
import { drawRequest, type TrashRequest } from "./trash-requests.js";
import { drawLinks, drawRows, type Rows, readDeleted, writeRows } from "./trash-rows.js";

const schema = new URL("../fixtures/trash/schema.prisma", import.meta.url).pathname;
const { init, closeAll } = makeStarter();
const drops: (() => Promise<void>)[] = [];

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly tag: string | null;
}

interface Trash {
  readonly client: PrismaClient;
  call(request: TrashRequest): Promise<Reply>;
}

const open = { auth: { all: false } } as const;

async function start(engine: NonNullable<DatabaseConfig["engine"]>): Promise<Trash> {
  const { url, drop } = await createPushedDatabase(inject("postgresUrl"), schema);
  drops.push(drop);
  let client: PrismaClient | undefined;
  const service = await init(
    {
      middlewares: { requestLogger: false, rateLimit: { limit: 100_000_000 } },
      request: { parameters: { allowDangerousOrmQueryOptions: true } },
      authentication: { mode: "static", login: { allowedUsernames: ["username"] } },
      database: {
        models,
        engine,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: {
        Customer: { ...open, softDelete: true, upsert: true, aggregate: true },
        Order: { ...open, softDelete: { keep: ["events"] }, upsert: true, aggregate: true },
        Item: { ...open, softDelete: { field: "removedAt" } },
        Product: { ...open, softDelete: true },
        Part: { ...open, softDelete: true },
        Tag: { ...open, softDelete: true },
        Folder: { ...open, softDelete: true },
        Seat: { ...open, softDelete: true, upsert: true },
        Invoice: open,
        Event: { ...open, aggregate: true },
      },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: url, JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" } },
  );
  return {
    client: client as PrismaClient,
    call: async ({ method, path, body }) => {
      const response = await fetch(`${service.url}/api/${path}`, {
        method,
        ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text(), tag: response.headers.get("etag") };
    },
  };
}

let one: Trash;
let other: Trash;
beforeAll(async () => {
  one = await start("auto");
  other = await start("prisma");
}, 120_000);
afterAll(async () => {
  await closeAll();
  for (const drop of drops) await drop();
});

/** A response without what differs by time and request. */
const plain = ({ status, text, tag }: Reply, isRead: boolean): string =>
  `${status} ${isRead ? tag : ""} ${text
    .replace(/"(instance|requestId)":"[^"]*"/g, "")
    .replace(/"updatedAt":"[^"]*"/g, "")}`;

it("C101 returns and changes no deleted row on any path: two databases that differ in deleted rows give the same responses", {
  timeout: 3_600_000,
}, async () => {
  const seed = randomInt(2 ** 31);
  const random = makeDraw(seed);
  const problems: string[] = [];
  const counts = { requests: 0, found: 0, written: 0, rejected: 0 };
  let rows: Rows = new Map();
  let deleted = "";
  const total = drawn(5_000);
  const fill = async (): Promise<void> => {
    const draw = random.below(2 ** 30);
    const [before, after] = [drawRows(makeDraw(draw), false), drawRows(makeDraw(draw), true)];
    rows = before;
    await writeRows(one.client, before, drawLinks(makeDraw(draw), before, false));
    await writeRows(other.client, after, drawLinks(makeDraw(draw), after, true));
    deleted = await readDeleted(one.client, rows);
  };
  await fill();
  for (let at = 0; at < total; at++) {
    if (at % 100 === 99) await fill();
    const request = drawRequest(random);
    const isRead = request.method === "GET";
    const [first, second] = [await one.call(request), await other.call(request)];
    const text = `seed ${seed}, request ${at}: ${request.method} ${decodeURIComponent(request.path)} ${JSON.stringify(request.body) ?? ""}`;
    counts.requests++;
    if (first.status < 300) counts[isRead ? "found" : "written"]++;
    if (request.needsRight === true) {
      counts.rejected++;
      // A filter that matches every row is rejected before the right is checked.
      if (![400, 401].includes(first.status)) problems.push(`${text} is ${first.status}`);
    }
    // A conflict of unique values reveals one to every caller.
    const isConflict = first.status === 409 || second.status === 409;
    if (!isConflict && plain(first, isRead) !== plain(second, isRead))
      problems.push(`${text}\n${plain(first, isRead)}\n${plain(second, isRead)}`);
    if (isRead) continue;
    const now = await readDeleted(one.client, rows);
    if (now !== deleted) problems.push(`${text} changes deleted rows:\n${deleted}\n${now}`);
    if (first.status < 300 || second.status < 300) await fill();
  }
  expect(problems.slice(0, 5)).toEqual([]);
  expect(counts.found).toBeGreaterThan(total / 4);
  expect(counts.written).toBeGreaterThan(total / 40);
  expect(counts.rejected).toBeGreaterThan(total / 40);
  console.log(`seed ${seed}: ${JSON.stringify(counts)}`);
});
