import { randomBytes } from "node:crypto";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { type EventReader, patience, readEvents } from "../../../../packages/service/test/event-reader.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/events/client/client.js";
import { models } from "../generated/events/models.js";

const { init, closeAll } = makeStarter();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;
let url: string;

beforeAll(async () => {
  const schema = path.join(import.meta.dirname, "../fixtures/events/schema.prisma");
  created = await createPushedDatabase(inject("postgresUrl"), schema);
  await start();
});
afterAll(async () => {
  await closeAll();
  await created?.drop();
});

async function start(): Promise<void> {
  const events = { changes: { events: true } } as const;
  ({ url } = await init(
    {
      middlewares: { rateLimit: false },
      limits: { response: "1mb" },
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: { Order: events, Note: events },
    },
    {
      environment: { NODE_ENV: "test", JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e", DATABASE_URL: created.url },
    },
  ));
}

const readers: EventReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
async function follow(at: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
  const reader = await readEvents(`${url}/api/${at}`, headers);
  readers.push(reader);
  return reader;
}

async function write(method: string, at: string, body: object) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/api/${at}`, { method, headers, body: JSON.stringify(body) });
  const sent = (await response.json()) as { readonly data: { readonly id: number } };
  expect([response.status < 300, sent]).toEqual([true, sent]);
  return sent.data;
}

/** A text that no compression shortens. */
const randomText = (length: number): string => randomBytes(length / 2).toString("hex");
const repeatedText = (length: number): string => "a".repeat(length);

describe("C133 changes that are large together", () => {
  it.each([
    ["incompressible", 24, 950_000, randomText],
    ["compressed", 24, 950_000, repeatedText],
    ["many", 200, 105_000, randomText],
  ] as const)("C133 do not stop the streams: %s", async (kind, count, length, textOf) => {
    const ofOrders = await follow("orders/events?fields=id,title");
    const ofNotes = await follow("notes/events");
    const continued = await ofOrders.positionId();
    const ids: number[] = [];
    for (let index = 0; index < count; index++) ids.push((await write("POST", "orders", { title: textOf(length) })).id);
    for (const id of ids) await write("PATCH", `orders/${id}`, { status: "PAID" });
    await write("POST", "notes", { id: `${kind} 1`, text: "after the update" });
    await ofNotes.take(1);
    await write("DELETE", "orders/many", { ids });
    await write("POST", "notes", { id: `${kind} 2`, text: "after the deletion" });
    expect(await ofNotes.take(1)).toEqual([["created", { id: `${kind} 2`, text: "after the deletion" }]]);
    await vi.waitUntil(() => ofOrders.events.length === 2 * count, patience);
    const received = ofOrders.events.map(({ event, data }) => [event, data.id, data.title?.length]);
    expect(received.slice(0, count)).toEqual(ids.map((id) => ["created", id, length]));
    expect(received.slice(count).map(([event]) => event)).toEqual(ids.map(() => "removed"));
    const kept = await write("POST", "orders", { title: textOf(length) });
    // A service that starts again continues as well.
    const ofNote = await ofNotes.positionId();
    await closeAll();
    await start();
    const again = await follow("orders/events?fields=id,title", { "last-event-id": continued });
    const notes = await follow("notes/events", { "last-event-id": ofNote });
    await write("POST", "notes", { id: `${kind} 3`, text: "after the restart" });
    expect(await notes.take(1)).toEqual([["created", { id: `${kind} 3`, text: "after the restart" }]]);
    await vi.waitUntil(() => again.events.length > 0, patience);
    // More than 32 MB of stored changes are a reset.
    expect(again.events.map(({ event, data }) => [event, data.id, data.title?.length])).toEqual([
      kind === "compressed" ? ["created", kept.id, length] : ["reset", undefined, undefined],
    ]);
  });
});

describe("C133 a change of 25 MB", () => {
  it("C133 is a reset for the streams that would contain its large value, and an event for others", async () => {
    const row = { status: "NEW", ownerId: null, deletedAt: null };
    const streams = {
      whole: await follow("orders/events"),
      withTitle: await follow("orders/events?fields=id,title"),
      withoutTitle: await follow("orders/events?fields=id,status"),
      filteredByTitle: await follow("orders/events?title=x&fields=id"),
      ofOthers: await follow("orders/events?ownerId=7"),
      otherFilters: await follow("orders/events?title[startsWith]=aaa&ownerId=7"),
      notes: await follow("notes/events"),
    };
    const position = await streams.whole.positionId();
    const before = JSON.stringify({ id: 900_001, title: "", ...row });
    await client.$executeRawUnsafe(
      `INSERT INTO "Change" (model, key, operation, actor, before, after)
SELECT 'Order', '900001', 'update', 'system', $1::jsonb, $1::jsonb || jsonb_build_object('status', 'PAID', 'title', repeat('a', 25000000))`,
      before,
    );
    await write("POST", "notes", { id: "after 25 MB", text: "b" });
    expect(await streams.notes.take(1)).toEqual([["created", { id: "after 25 MB", text: "b" }]]);
    await write("POST", "orders", { title: "x", ownerId: 7 });
    const summary = async (stream: EventReader, count: number) =>
      (await stream.take(count)).map(([event, data]) => [event, (data as { title?: string }).title?.slice(0, 9)]);
    expect(await summary(streams.whole, 2)).toEqual([
      ["reset", undefined],
      ["created", "x"],
    ]);
    expect(await summary(streams.withTitle, 2)).toEqual([
      ["reset", undefined],
      ["created", "x"],
    ]);
    expect((await streams.withoutTitle.take(2))[0]).toEqual(["updated", { id: 900_001, status: "PAID" }]);
    expect(await summary(streams.filteredByTitle, 2)).toEqual([
      ["reset", undefined],
      ["created", undefined],
    ]);
    expect(await summary(streams.ofOthers, 1)).toEqual([["created", "x"]]);
    const again = await follow("orders/events", { "last-event-id": position });
    await vi.waitUntil(() => again.events.length > 0, patience);
    expect(again.events[0]?.event).toBe("reset");
    expect(streams.otherFilters.events).toEqual([]);
  });
});
