import { once } from "node:events";
import http from "node:http";
import {
  makeChangeFollower,
  makeChangeReader,
  makeChangeRetention,
  makeRowHistory,
  readChangeModel,
} from "@servicekit/changes";
import { makeDispatcher, readPositionModel } from "@servicekit/jobs";
import { surrogateKeys } from "@servicekit/model-router/internal";
import { type Database, makeDatabase, readModels } from "@servicekit/prisma";
import { chooseEngine } from "@servicekit/prisma/internal";
import { makePostgresAdapter } from "@servicekit/prisma/postgres";
import { makeEndpoints, messageOf, readWebhookModels } from "@servicekit/webhooks";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PrismaClient } from "../../../../packages/service/test/generated/webhooks/client/client.js";
import { models as data } from "../../../../packages/service/test/generated/webhooks/models.js";
import { makeWebhookServices } from "../../../../packages/service/test/serve-webhooks.js";
import { growth, inProportion, longestTurn } from "../../../../scripts/test/measure.js";
import { heapGrowth } from "../../../../scripts/test/measure-heap.js";
import { someOf } from "../../../../scripts/test/slow-share.js";

/** The number of stored changes, orders and webhooks. */
const stored = 8_000;
/** The number of characters of the largest text. */
const longest = 4_000_000;

const { createDatabase, dropDatabase, start, clear, query, databaseUrl } = makeWebhookServices();
const models = readModels(data);
const changeModel = required(readChangeModel(models));
const positionModel = readPositionModel(models, "the dispatcher");
const webhookModels = required(readWebhookModels(models));
const order = required(models.get("Order"));

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("The schema has the models of orders, changes and webhooks.");
  return value;
}

let database: Database;
let client: PrismaClient;
let serviceUrl: string;
beforeAll(async () => {
  await createDatabase();
  await query(`
    INSERT INTO "Order" (title) SELECT 'order ' || n FROM generate_series(1, ${stored}) n;
    INSERT INTO "Order" (title) SELECT repeat(E'a"\\n', length / 3) FROM generate_series(${longest / 16}, ${longest}, ${longest / 16}) length;
    INSERT INTO "Webhook" (id, url, events, "updatedAt")
      SELECT 'w' || n, 'https://example.com/' || n, ARRAY['order.created', 'order.updated'], now() FROM generate_series(1, ${stored}) n;
    ANALYZE`);
  const adapter = makePostgresAdapter({ url: databaseUrl(), poolSize: 10 });
  client = new PrismaClient({ adapter });
  const chosen = chooseEngine({ client, adapter, models, schema: "public", engine: "auto" });
  database = makeDatabase({ client, models, schema: "public", connections: adapter.connections, ...chosen });
  const { service } = await start({
    models: { Order: { auth: { all: false }, export: true, import: true } },
    ...({ webhooks: undefined } as object),
  });
  serviceUrl = `${service.url}/api`;
}, 180_000);
afterAll(async () => {
  await database?.disconnect();
  await clear();
  await dropDatabase();
});

/** The number of changes in the log. */
let changesInLog = 0;

/** Replaces the changes, unless there are as many. */
async function storeChanges(count: number): Promise<void> {
  if (changesInLog === count) return;
  await query('TRUNCATE "Change" RESTART IDENTITY');
  changesInLog = 0;
  await addChanges(count);
}

/** Adds changes of one row, each of which is older than any limit of a retention. */
async function addChanges(count: number): Promise<void> {
  await query(`
    INSERT INTO "Change" (model, key, operation, actor, "before", "after", time)
      SELECT 'Order', '1', 'update', 'user:1', jsonb_build_object('title', n::text), jsonb_build_object('title', (n + 1)::text),
        now() - interval '30 days' FROM generate_series(1, ${count}) n`);
  changesInLog += count;
}
const storeAllChanges = () => storeChanges(stored);

const reader = () => makeChangeReader({ database, client, model: changeModel });

/** Downloads a response, and drops its bytes. */
async function download(target: string, accept: string): Promise<void> {
  const [response] = (await once(http.get(`${serviceUrl}/${target}`, { headers: { accept } }), "response")) as [
    http.IncomingMessage,
  ];
  expect(response.statusCode).toBe(200);
  await once(response.resume(), "end");
}

/** What reads its own rows, bytes or messages. */
interface InternalReader {
  /** The number of rows, characters or receivers of the largest input. */
  readonly max: number;
  readonly run: (size: number) => Promise<unknown>;
  /** Runs before each measurement, for a reader that changes what it reads. */
  readonly prepare?: (size: number) => Promise<unknown>;
  /** Why the longest turn of the event loop is not limited. */
  readonly hasLongTurns?: string;
}

const consumer = (count: { sent: number }) => ({
  consumers: [{ name: "counter", jobsOf: () => [{ queue: "counter", data: {} }] }],
  queues: {
    define: () => undefined,
    sendForChanges: async (jobs: readonly unknown[]) => {
      count.sent += jobs.length;
    },
    addFailed: async () => undefined,
    leadership: () => ({ acquire: async () => true, confirm: async () => undefined, release: async () => undefined }),
    wake: () => undefined,
  },
});

const readers: Readonly<Record<string, InternalReader>> = {
  "changes of the log": {
    max: stored,
    prepare: storeAllChanges,
    run: async (size) => {
      const changes = reader();
      let last = BigInt(stored - size);
      for (let count = 0; count < size; ) {
        const batch = await changes.read(last, 200);
        last = batch.at(-1)?.id ?? last;
        count += batch.length;
      }
    },
  },
  "changes of the log for a follower": {
    max: stored,
    prepare: storeAllChanges,
    run: (size) => followChanges(1, size),
  },
  "changes of the log for many followers": {
    max: 160,
    prepare: storeAllChanges,
    run: (size) => followChanges(size, 100),
    hasLongTurns: "all followers of one position receive its batch together",
  },
  "the history of a row": {
    max: stored,
    prepare: storeAllChanges,
    run: async (size) => {
      const history = makeRowHistory({ database, model: changeModel });
      let before: bigint | undefined;
      for (let count = 0; count < size; count += 100) {
        const page = await history.read({ name: "Order" }, "1", { before, limit: 100 });
        before = page.changes.at(-1)?.id;
      }
    },
  },
  "old changes, to delete them": {
    max: stored,
    prepare: storeChanges,
    run: (size) => deleteChanges(size, { days: 1 }),
  },
  "surplus changes of one row, to delete them": {
    max: stored,
    prepare: storeChanges,
    run: (size) => deleteChanges(size - 1, { perRow: 1 }),
  },
  "changes, to make jobs of them": {
    max: stored / 4,
    prepare: storeAllChanges,
    run: async (size) => {
      const count = { sent: 0 };
      await query(
        `INSERT INTO "ChangePosition" VALUES ('counter', ${stored - size}) ON CONFLICT (name) DO UPDATE SET "lastId" = excluded."lastId"`,
      );
      const dispatcher = makeDispatcher({
        ...{ database, positions: positionModel, changes: changeModel, reader: reader(), ...consumer(count) },
        log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      });
      while (count.sent < size) await dispatcher.dispatch();
    },
  },
  "webhooks that receive a message": {
    max: stored,
    run: async (size) => {
      await query(
        `UPDATE "Webhook" SET active = substr(id, 2)::int <= ${size} WHERE active <> (substr(id, 2)::int <= ${size})`,
      );
      const endpoints = makeEndpoints(database, webhookModels, []);
      const active = await endpoints.active();
      expect(active).toHaveLength(size);
      for (let id = 0n; id < 20n; id++) {
        const { type } = messageOf(createdOrder(id, "a"));
        expect(active.filter(({ events }) => events.includes(type))).toHaveLength(size);
      }
    },
    hasLongTurns: "the active webhooks, whose number has no limit, are read in one query",
  },
  "a large row, to make a message of it": {
    max: longest / 4,
    run: async (size) => messageOf(createdOrder(1n, 'a"\n'.repeat(size / 3))).body.length,
  },
  "the key of a row, to purge caches": {
    max: longest / 4,
    run: async (size) => surrogateKeys({ resource: "orders" }, "a,".repeat(size / 2)).row,
  },
  "rows of an export as CSV": {
    max: stored,
    run: (size) => download(`orders?sort=id&limit=${size}`, "text/csv"),
  },
  "rows of an export as JSON lines": {
    max: stored,
    run: (size) => download(`orders?sort=id&limit=${size}`, "application/x-ndjson"),
  },
  "rows of an export in an order without an index": {
    max: stored,
    run: (size) => download(`orders?sort=-title&id__lte=${stored}&limit=${size}`, "text/csv"),
    hasLongTurns: "the keys of up to 20,000 rows are read in one query",
  },
  "a large row of an export as CSV": {
    max: longest,
    run: (size) => download(`orders?id=${stored + (16 * size) / longest}`, "text/csv"),
    hasLongTurns: "a value is read and written in one piece",
  },
  "a large row of an export as JSON lines": {
    max: longest,
    run: (size) => download(`orders?id=${stored + (16 * size) / longest}`, "application/x-ndjson"),
    hasLongTurns: "a value is read and written in one piece",
  },
  "rows of an import": {
    max: 960,
    run: async (size) => {
      const lines = Array.from({ length: size }, (_, index) => `"order\n${index}",${index}.50\r\n`);
      const response = await fetch(`${serviceUrl}/orders/many?dryRun=true`, {
        ...{ method: "POST", headers: { "content-type": "text/csv" } },
        body: `title,total\r\n${lines.join("")}`,
      });
      expect([response.status, await response.json()]).toEqual([200, { meta: { count: size, dryRun: true } }]);
    },
  },
};

/** Follows changes that are stored after the start. */
async function followChanges(followers: number, changes: number): Promise<void> {
  let wake = (): void => undefined;
  const follower = makeChangeFollower({
    ...{ database, model: changeModel, reader: reader(), onError: (error) => expect.soft(error).toBeUndefined() },
    signal: {
      onSignal(listener) {
        wake = listener;
        return () => undefined;
      },
    },
  });
  const ending = new AbortController();
  const subscriptions = Array.from({ length: followers }, () =>
    follower.follow({ model: order, signal: ending.signal }),
  );
  const starts = await Promise.all(subscriptions.map((subscription) => subscription.next()));
  await addChanges(changes);
  wake();
  const receive = async (index: number): Promise<void> => {
    let position = starts[index]?.last;
    while (position === undefined || position.id < changesInLog) {
      const batch = required(await subscriptions[index]?.next(position));
      position = batch.last ?? position;
    }
  };
  await Promise.all(subscriptions.map((_, index) => receive(index)));
  ending.abort();
  await follower.close();
}

async function deleteChanges(count: number, rule: object): Promise<void> {
  const retention = makeChangeRetention({
    ...{ database, model: changeModel, rules: [{ model: "Order", ...rule }], pauseMs: 0 },
  });
  expect(await retention.run()).toBe(count);
  changesInLog = 0;
}

const createdOrder = (id: bigint, title: string) => ({
  ...{ id, time: new Date(0), transaction: 1n, model: "Order", key: "1", operation: "create" as const, before: null },
  after: { title },
});

const maxTurn = 50;

it.each(someOf(Object.keys(readers)))(
  "C59 the service reads in time and memory in proportion to the number: %s",
  async (name) => {
    const { max, run, prepare, hasLongTurns } = readers[name] as InternalReader;
    const work = async (size: number): Promise<void> => {
      await prepare?.(size);
      await run(size);
    };
    expect(await growth(work, max / 4)).toBeLessThan(inProportion);
    expect(await heapGrowth(work, max / 4)).toBeLessThan(inProportion);
    if (hasLongTurns === undefined) expect(await longestTurn(() => work(max), maxTurn)).toBeLessThan(maxTurn);
  },
);
