import { randomUUID } from "node:crypto";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import servicekit, { callerOf, type ModelConfig, type ServiceInitConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { z } from "zod";
import { makeClient } from "../../../../packages/client/src/index.js";
import { type EventReader, patience, readEvents } from "../../../../packages/service/test/event-reader.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/events/client/client.js";
import { models } from "../generated/events/models.js";

const password = "a long staple of horses";
const { init, closeAll } = makeStarter();
const contextOf = servicekit.context<PrismaClient>();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;

type Credentials = Readonly<Record<string, string>>;
type Rule = NonNullable<NonNullable<ModelConfig["auth"]>["where"]>;

const everyRow: Rule = () => true;
/** The row rule of orders; tests replace it. */
let rule: Rule = everyRow;
let ruleCalls = 0;
const ownRows: Rule = (request) => ({ ownerId: Number(callerOf(request)?.id) });

interface EventsApi {
  orders: {
    key: number;
    row: { id: number; title: string };
    create: never;
    update: never;
    filters: Record<never, never>;
    relations: Record<never, never>;
  };
}

const fields = "id title status secret ownerId readers placedAt data projectId project deletedAt shout";
const open = { all: true } as const;
const configured: NonNullable<ServiceInitConfig["models"]> = {
  Order: {
    auth: {
      all: true,
      restoreOne: ["ADMIN"],
      findDeleted: ["ADMIN"],
      deletePermanently: ["ADMIN"],
      where: (request) => {
        ruleCalls++;
        return rule(request);
      },
      fields: { "*": [...fields.split(" "), "organizationId"], ADMIN: ["margin"] },
    },
    computed: { shout: { needs: ["title"], type: z.string(), compute: ({ title }) => `${title}!` } },
    changes: { events: true },
    softDelete: true,
  },
  Note: { auth: { all: ["ADMIN"] }, changes: { history: true, events: true, retention: { days: 365, perRow: 1 } } },
  Project: { auth: open, changes: true },
  Organization: { auth: open },
};

function start(config: ServiceInitConfig = {}) {
  return init(
    {
      middlewares: { rateLimit: { limit: 1_000_000 } },
      authentication: {
        mode: "static",
        login: { allowedUsernames: ["username"] },
        password: { cost: 4 },
        rateLimit: { limit: 1_000_000 },
      },
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: configured,
      ...config,
    },
    {
      environment: {
        NODE_ENV: "test",
        JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e",
        DATABASE_URL: created.url,
      },
    },
  );
}

let url: string;
let app: Awaited<ReturnType<typeof start>>["app"];
let ada: Credentials;
let bob: Credentials;
let admin: Credentials;

async function call(who: Credentials, method: string, at: string, body?: unknown) {
  const response = await fetch(`${url}/api/${at}`, {
    method,
    headers: { ...who, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
}

async function signUp(username: string, data: object = {}): Promise<Credentials> {
  expect((await call({}, "POST", "auth/signup", { username, password })).status).toBe(201);
  await client.user.update({ where: { username }, data });
  const { accessToken } = (await call({}, "POST", "auth/login", { username, password })).body;
  return { authorization: `Bearer ${accessToken}` };
}

const readers: EventReader[] = [];
async function follow(who: Credentials, query = "", headers: Credentials = {}, at = "orders"): Promise<EventReader> {
  const reader = await readEvents(`${url}/api/${at}/events${query}`, { ...who, ...headers });
  readers.push(reader);
  return reader;
}

async function write(method: string, at: string, body?: unknown) {
  const sent = await call(admin, method, at, body);
  expect([sent.status < 300, sent.body]).toEqual([true, sent.body]);
  return sent.body;
}

// Not the log: its ids must not start again while a service follows it.
const tables = ["purchase orders", "Note", "Project", "AuthSession", "User", "Organization"];

beforeAll(async () => {
  const schema = new URL("../fixtures/events/schema.prisma", import.meta.url).pathname;
  created = await createPushedDatabase(inject("postgresUrl"), schema);
});
afterAll(() => created?.drop());

let service: Awaited<ReturnType<typeof start>>;
async function prepare(config: ServiceInitConfig = {}): Promise<void> {
  service = await start(config);
  ({ app, url } = service);
}

async function reset(): Promise<void> {
  rule = everyRow;
  for (const table of tables) await client.$executeRawUnsafe(`TRUNCATE "${table}" RESTART IDENTITY CASCADE`);
  admin = await signUp("admin", { role: "ADMIN" });
  ada = await signUp("ada");
  bob = await signUp("bob");
}

/** Waits until the service has read the changes of earlier tests, which new streams would receive otherwise. */
async function settle(): Promise<void> {
  const stream = await follow(admin, "", {}, "notes");
  const id = randomUUID();
  await write("POST", "notes", { id, text: "a" });
  await vi.waitUntil(() => stream.events.some(({ data }) => data.id === id), patience);
  stream.close();
}

afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

describe("C111 the events of a model", () => {
  beforeAll(() => prepare());
  afterAll(closeAll);
  beforeEach(async () => {
    await reset();
    await settle();
  });

  it("C74 C111 are sent to a request of service.fetch too", async () => {
    const ending = new AbortController();
    const { signal } = ending;
    const response = await service.fetch(new Request(`${url}/api/orders/events`, { headers: ada, signal }));
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const readUntil = async (part: string): Promise<void> => {
      while (!text.includes(part)) text += (await reader?.read())?.value ?? expect.fail(text);
    };
    await readUntil("event: ready");
    await write("POST", "orders", { title: "over no network" });
    await readUntil("over no network");
    await readUntil("\n\nid: ");
    ending.abort();
    await expect(reader?.read()).rejects.toThrow();
  });

  it("C111 contain created, updated and removed rows as the list of the caller shows them", async () => {
    const seen = await follow(ada);
    expect([seen.status, seen.headers.get("content-type"), seen.headers.get("cache-control")]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "private, no-cache, no-transform",
    ]);
    expect(seen.headers.get("content-encoding")).toBeNull();
    await write("POST", "orders", { title: "a", margin: "1.50" });
    await write("PATCH", "orders/1", { title: "b" });
    await write("PATCH", "orders/1", { margin: "2.50" });
    await contextOf({ app })
      .database.of("Order")
      .update({ where: { id: 1 }, data: { secret: "x" } });
    await write("DELETE", "orders/1");
    await write("POST", "orders/1/restore");
    const row = (await call(ada, "GET", "orders/1")).body.data;
    const { shout: _, ...stored } = row;
    expect(await seen.take(4)).toEqual([
      ["created", { ...stored, title: "a" }],
      ["updated", stored],
      ["removed", { id: 1 }],
      ["created", stored],
    ]);
    expect(seen.text()).not.toMatch(/margin|secret|2\.50/);
    const all = await follow(admin);
    await write("PATCH", "orders/1", { margin: "3.50" });
    expect(await all.take(1)).toEqual([["updated", { ...stored, margin: "3.50" }]]);
  });

  it("C111 report rows that move into and out of the row rule and the filters", async () => {
    rule = ownRows;
    const [ofAda, ofBob, paid, many] = await Promise.all([
      follow(ada),
      follow(bob),
      follow(ada, "?status=PAID&fields=id,status"),
      follow(ada, "?title[in]=x,y&fields=title"),
    ]);
    rule = (request) => (callerOf(request)?.roles.includes("ADMIN") ? true : ownRows(request));
    await write("POST", "orders", { title: "x", ownerId: 2 });
    await write("PATCH", "orders/1", { status: "PAID" });
    await write("PATCH", "orders/1", { ownerId: 3, title: "z" });
    await write("PATCH", "orders/1", { ownerId: 2 });
    await write("PATCH", "orders/1", { title: "y" });
    await write("DELETE", "orders/1?permanent=true");
    const kinds = async (reader: EventReader, count: number) => (await reader.take(count)).map(([event]) => event);
    expect(await kinds(ofAda, 6)).toEqual(["created", "updated", "removed", "created", "updated", "removed"]);
    expect(await kinds(ofBob, 2)).toEqual(["created", "removed"]);
    expect(await paid.take(4)).toEqual([
      ["created", { id: 1, status: "PAID" }],
      ["removed", { id: 1 }],
      ["created", { id: 1, status: "PAID" }],
      ["removed", { id: 1 }],
    ]);
    expect(await many.take(4)).toEqual([
      ["created", { title: "x" }],
      ["removed", { id: 1 }],
      ["created", { title: "y" }],
      ["removed", { id: 1 }],
    ]);
  });

  it("C111 apply row rules through relations with the current related rows", async () => {
    const project = await client.project.create({ data: { isOpen: true } });
    rule = (request) => callerOf(request)?.roles.includes("ADMIN") === true || { project: { is: { isOpen: true } } };
    const seen = await follow(ada, "?fields=id");
    await write("POST", "orders", { title: "a", projectId: project.id });
    await write("PATCH", "orders/1", { projectId: null });
    expect(await seen.take(2)).toEqual([
      ["created", { id: 1 }],
      ["removed", { id: 1 }],
    ]);
  });

  it("C130 continue after the last id, without loss and without repetition", async () => {
    const first = await follow(ada, "?fields=id,title");
    for (let n = 0; n < 3; n++) await write("POST", "orders", { title: `${n}` });
    await first.take(3);
    const id = await first.positionId();
    first.close();
    await write("POST", "orders", { title: "3" });
    await write("PATCH", "orders/1", { title: "x" });
    const other = await (await follow(ada, "?fields=id,title")).positionId();
    for (const again of [
      await follow(ada, "?fields=id,title", { "last-event-id": id }),
      await follow(ada, `?fields=id,title&lastEventId=${id}`),
      await follow(ada, `?fields=id,title&lastEventId=${other}`, { "last-event-id": id }),
    ]) {
      expect(await again.take(2)).toEqual([
        ["created", { id: 4, title: "3" }],
        ["updated", { id: 1, title: "x" }],
      ]);
      expect(again.text()).not.toContain("ready");
    }
  });

  it("C130 of a stream that continues contain no state that the list of the caller does not contain now", async () => {
    rule = (request) => (callerOf(request)?.roles.includes("ADMIN") ? true : { status: "NEW" });
    await write("POST", "orders", { title: "one" });
    await write("POST", "orders", { title: "two" });
    await write("POST", "orders", { title: "three" });
    await write("POST", "orders", { title: "hidden", status: "PAID" });
    const first = await follow(ada, "?fields=id,title");
    const id = await first.positionId();
    first.close();
    // Overwritten, deleted in two ways, created and deleted, and a match of the rule for a moment.
    await write("PATCH", "orders/1", { title: "gone 1" });
    await write("PATCH", "orders/1", { title: "last" });
    await write("PATCH", "orders/2", { title: "gone 2" });
    await write("DELETE", "orders/2?permanent=true");
    await write("PATCH", "orders/3", { title: "gone 3" });
    await write("DELETE", "orders/3");
    await write("PATCH", "orders/4", { title: "gone 4", status: "NEW" });
    await write("PATCH", "orders/4", { title: "hidden", status: "PAID" });
    await write("POST", "orders", { title: "gone 5" });
    await write("DELETE", "orders/5?permanent=true");
    await write("POST", "orders", { title: "gone 6" });
    await write("PATCH", "orders/6", { title: "six" });
    const again = await follow(ada, "?fields=id,title", { "last-event-id": id });
    expect(await again.take(4)).toEqual([
      ["updated", { id: 1, title: "last" }],
      ["removed", { id: 2 }],
      ["removed", { id: 3 }],
      ["created", { id: 6, title: "six" }],
    ]);
    // Live again.
    await write("PATCH", "orders/1", { title: "live" });
    expect(await again.take(1)).toEqual([["updated", { id: 1, title: "live" }]]);
    expect(again.text()).not.toMatch(/gone|hidden|"id":[45]/);
  });

  it("C130 do not continue after the number of a change, or after an id of another caller, filter, model or version", async () => {
    await write("POST", "orders", { title: "past", ownerId: 1 });
    await write("PATCH", "orders/1", { title: "overwritten" });
    await write("DELETE", "orders/1?permanent=true");
    const changes = await client.change.findMany({ select: { id: true } });
    const ids = changes.slice(-4).map(({ id }) => String(id));
    const [ofBob, ofStatus, ofFields, ofNotes] = await Promise.all([
      follow(bob),
      follow(ada, "?status=NEW"),
      follow(ada, "?fields=id"),
      follow(admin, "", {}, "notes"),
    ]);
    for (const stream of [ofBob, ofStatus, ofFields, ofNotes]) ids.push(await stream.positionId());
    await write("POST", "orders", { title: "past" });
    for (const id of [...ids, "0", "abc", "-1", "99999999999999999999"]) {
      const stream = await follow(ada, `?lastEventId=${id}`);
      expect([id, await stream.take(1)]).toEqual([id, [["reset", {}]]]);
      const byHeader = await follow(ada, "", { "last-event-id": id });
      expect([id, await byHeader.take(1)]).toEqual([id, [["reset", {}]]]);
      for (const one of [stream, byHeader]) {
        expect(one.text()).not.toMatch(/past|overwritten/);
        one.close();
      }
    }
  });

  it("C130 do not continue with rights that have changed since the last id", async () => {
    rule = () => ({ ownerId: 2 });
    const first = await follow(ada, "?fields=title");
    const id = await first.positionId();
    rule = everyRow;
    await write("POST", "orders", { title: "of two", ownerId: 2 });
    await write("POST", "orders", { title: "of three", ownerId: 3 });
    rule = () => ({ ownerId: 3 });
    const again = await follow(ada, "?fields=title", { "last-event-id": id });
    expect(await again.take(1)).toEqual([["reset", {}]]);
    expect(again.text()).not.toMatch(/of two|of three/);
  });

  it("C130 continue with a model whose retention limits the changes of a row", async () => {
    const first = await follow(admin, "?fields=text", {}, "notes");
    await write("POST", "notes", { id: "a", text: "1" });
    await first.take(1);
    const id = await first.positionId();
    await write("PATCH", "notes/a", { text: "2" });
    await write("PATCH", "notes/a", { text: "3" });
    const again = await follow(admin, "?fields=text", { "last-event-id": id }, "notes");
    expect(await again.take(1)).toEqual([["updated", { text: "3" }]]);
  });

  it("C111 report with reset that the log no longer contains the position of the client", async () => {
    const first = await follow(ada);
    await write("POST", "orders", { title: "a" });
    await first.take(1);
    const id = await first.positionId();
    first.close();
    await client.change.deleteMany();
    const again = await follow(ada, "", { "last-event-id": id });
    expect(await again.take(1)).toEqual([["reset", {}]]);
    await write("PATCH", "orders/1", { title: "b" });
    expect((await again.take(1))[0]?.[0]).toBe("updated");
  });

  it("C131 continue after a reset when the log loses changes and gives their ids to others", async () => {
    const stream = await follow(ada, "?fields=title");
    for (let n = 0; n < 5; n++) await write("POST", "orders", { title: `before ${n}` });
    await stream.take(5);
    await client.$executeRawUnsafe(`TRUNCATE "Change" RESTART IDENTITY`);
    for (let n = 0; n < 10; n++) await write("POST", "orders", { title: `lost ${n}` });
    await vi.waitUntil(() => stream.events.some(({ event }) => event === "reset"), patience);
    await write("POST", "orders", { title: "after" });
    await vi.waitUntil(() => stream.events.at(-1)?.data.title === "after", patience);
    expect(stream.events.filter(({ event }) => event === "reset")).toHaveLength(1);
    expect(stream.events[0]?.event).toBe("reset");
  });

  it.each([
    ["?page=1", "/page", "UnknownParameter"],
    ["?sort=id", "/sort", "UnknownParameter"],
    ["?search=a", "/search", "UnknownParameter"],
    ["?include=project", "/include", "UnknownParameter"],
    ["?nothing=1", "/nothing", "UnknownField"],
    ["?secret=1", "/secret", "UnknownField"],
    ["?margin=1", "/margin", "UnknownField"],
    ["?fields=shout", "/fields", "InvalidValue"],
    ["?fields=nothing", "/fields", "UnknownField"],
    ["?status=LOST", "/status", "InvalidValue"],
    ["?lastEventId=a%20b", "/lastEventId", "InvalidValue"],
    ["?lastEventId=1%20OR%201=1", "/lastEventId", "InvalidValue"],
  ])("C111 reject %s", async (query, path, code) => {
    const { status, problem } = await follow(ada, query);
    expect([status, problem.errors]).toEqual([400, [expect.objectContaining({ path, code })]]);
  });

  it("C132 reject a filter that costs more than a tenth of that of a list", async () => {
    const conditions = (count: number): string =>
      Array.from({ length: count }, (_, index) => `or[${index}][title][contains]=${index}`).join("&");
    const { status, problem } = await follow(ada, `?${conditions(26)}`);
    expect([status, problem.code]).toEqual([400, "QueryLimitExceeded"]);
    expect(problem.detail).toContain("costs 1040");
    expect((await follow(ada, `?${conditions(25)}`)).status).toBe(200);
    expect((await call(ada, "GET", `orders?${conditions(26)}`)).status).toBe(200);
  });

  it("C111 reject an invalid Last-Event-ID", async () => {
    const { status, problem } = await follow(ada, "", { "last-event-id": "1 OR 1=1" });
    expect([status, problem.errors]).toEqual([
      400,
      [expect.objectContaining({ in: "headers", path: "/last-event-id" })],
    ]);
  });

  it("C111 have the access of the list, and no route without events", async () => {
    expect((await follow({})).status).toBe(401);
    expect((await follow(ada, "", {}, "notes")).status).toBe(403);
    expect((await call(admin, "GET", "projects/events")).status).toBe(404);
    expect((await call(admin, "POST", "orders/events", {})).status).toBe(405);
  });

  it("C111 respond to HEAD without a stream", async () => {
    const response = await fetch(`${url}/api/orders/events`, { method: "HEAD", headers: ada });
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      200,
      "text/event-stream; charset=utf-8",
      "",
    ]);
  });

  it("C111 reach clients of HTTP/1.0", async () => {
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += String(chunk);
    });
    socket.write(`GET /api/orders/events HTTP/1.0\r\nHost: localhost\r\nAuthorization: ${ada.authorization}\r\n\r\n`);
    await vi.waitUntil(() => text.includes("event: ready"), patience);
    await write("POST", "orders", { title: "old" });
    await vi.waitUntil(() => text.includes('"title":"old"'), patience);
    socket.destroy();
  });

  it("C111 end after the caller has signed out, before the next event", async () => {
    const [ofAda, ofBob] = await Promise.all([follow(ada), follow(bob)]);
    await write("POST", "orders", { title: "a" });
    await Promise.all([ofAda.take(1), ofBob.take(1)]);
    expect((await call(ada, "DELETE", "auth/logout")).status).toBeLessThan(300);
    expect((await call(ada, "GET", "orders")).status).toBe(401);
    await write("POST", "orders", { title: "b" });
    await ofBob.take(1);
    await vi.waitUntil(() => ofAda.hasEnded(), patience);
    expect(ofAda.text()).not.toContain('"title":"b"');
  });

  it("C111 report with reset that the rules of the caller have changed, and apply the new ones", async () => {
    rule = () => ({ status: "NEW" });
    const seen = await follow(ada, "?fields=title");
    await write("POST", "orders", { title: "a" });
    await seen.take(1);
    rule = () => ({ status: { in: ["NEW", "PAID"] } });
    await write("PATCH", "orders/1", { status: "PAID", title: "b" });
    expect(await seen.take(1)).toEqual([["reset", {}]]);
    await write("PATCH", "orders/1", { title: "c" });
    expect(await seen.take(1)).toEqual([["updated", { title: "c" }]]);
  });

  it("C111 do not report changed rules when a rule contains the current time", async () => {
    rule = () => ({ OR: [{ placedAt: null }, { placedAt: { lte: new Date() } }] });
    const seen = await follow(ada, "?fields=title");
    for (const title of ["a", "b"]) {
      await write("POST", "orders", { title });
      expect(await seen.take(1)).toEqual([["created", { title }]]);
    }
  });

  it("C111 contain nothing if a row rule cannot be compared with recorded states", async () => {
    rule = () => ({ OR: [{ secret: null }, { title: "a" }] });
    const seen = await follow(ada);
    await write("POST", "orders", { title: "a" });
    rule = everyRow;
    await write("POST", "orders", { title: "b" });
    // The change of the rule is reported, and no earlier state was.
    expect(await seen.take(1)).toEqual([["reset", {}]]);
  });

  it("C111 keep their path free of rows and other methods", async () => {
    const { status, body } = await call(admin, "POST", "notes", { id: "Events", text: "a" });
    expect([status, body.errors[0].message]).toEqual([400, 'An id must not be "events", the path of another route.']);
    const deleted = await call(admin, "DELETE", "notes/events");
    expect([deleted.status, deleted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  it("C111 are in the API document and in the discovery of routes", async () => {
    const { paths, components } = (await service.openapi()) as unknown as {
      readonly paths: Readonly<
        Record<string, { readonly get?: { readonly responses: object; readonly parameters: readonly object[] } }>
      >;
      readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
    };
    const { get } = paths["/api/orders/events"] ?? {};
    expect(get?.responses).toMatchObject({
      200: { content: { "text/event-stream": { schema: { type: "string" } } } },
      401: {},
    });
    expect(JSON.stringify(get?.parameters)).toContain('"fields"');
    expect(Object.keys(components.schemas.OrderRemoved?.properties ?? {})).toEqual(["id"]);
    expect(Object.keys(components.schemas.OrderState?.properties ?? {})).not.toContain("secret");
    expect(paths["/api/projects/events"]).toBeUndefined();
  });

  it("C111 of a write are sent after its commit, and none of a rolled back one", async () => {
    const { database } = contextOf({ app });
    const seen = await follow(ada, "?fields=title");
    await expect(
      database.transaction(async (inside) => {
        await inside.of("Order").create({ data: { title: "never" } });
        throw new Error("rolled back");
      }),
    ).rejects.toThrow("rolled back");
    await database.transaction(async (inside) => {
      await inside.of("Order").create({ data: { title: "one" } });
      await inside.of("Order").create({ data: { title: "two" } });
    });
    expect(await seen.take(2)).toEqual([
      ["created", { title: "one" }],
      ["created", { title: "two" }],
    ]);
  });

  it("C111 evaluate a filter once for all streams with equal rules", async () => {
    rule = () => ({ status: "NEW", title: { contains: "a" } });
    const streams = await Promise.all(Array.from({ length: 10 }, () => follow(ada, "?fields=title")));
    const asked: string[] = [];
    const query = client.$queryRawUnsafe.bind(client);
    const spy = vi.spyOn(client, "$queryRawUnsafe").mockImplementation(((sql: string, ...values: unknown[]) => {
      if (sql.includes("json_array_elements")) asked.push(sql);
      return query(sql, ...values);
    }) as never);
    const before = ruleCalls;
    await write("POST", "orders", { title: "a" });
    for (const stream of streams) expect(await stream.take(1)).toEqual([["created", { title: "a" }]]);
    expect(ruleCalls - before).toBeGreaterThanOrEqual(10);
    expect(asked).toHaveLength(1);
    spy.mockRestore();
  });
});

describe("C111 the limits of event streams", () => {
  beforeAll(() => prepare({ limits: { eventStreams: 3, eventStreamsPerClient: 2 } }));
  afterAll(closeAll);
  beforeEach(reset);

  it("C111 reject streams above the limit of a user with 429 and above that of the process with 503", async () => {
    const [first] = [await follow(ada), await follow(ada), await follow(bob)];
    const perUser = await follow(ada);
    expect([perUser.status, perUser.problem.code, perUser.headers.get("retry-after")]).toEqual([
      429,
      "TooManyRequests",
      "30",
    ]);
    const inTotal = await follow(bob);
    expect([inTotal.status, inTotal.problem.code]).toEqual([503, "ServiceUnavailable"]);
    first?.close();
    await vi.waitUntil(async () => (await follow(ada)).status === 200, { timeout: patience, interval: 50 });
  });

  it("C111 disconnect a client that does not read for 30 seconds", async () => {
    const { setTimeout: start } = globalThis;
    const timers = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((work: () => void, ms: number) =>
        start(work, ms === 30_000 ? 300 : ms)) as typeof setTimeout);
    const { port } = new URL(url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write(`GET /api/orders/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${ada.authorization}\r\n\r\n`);
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    const other = await follow(ada, "?fields=id");
    expect((await follow(ada)).status).toBe(429);
    const title = "x".repeat(900_000);
    await write("POST", "orders", { title });
    for (let n = 0; n < 20; n++) await write("PATCH", "orders/1", { title: `${n}${title}` });
    await vi.waitUntil(async () => (await follow(ada)).status === 200, { timeout: patience, interval: 500 });
    expect(other.hasEnded()).toBe(false);
    timers.mockRestore();
    socket.destroy();
  });

  it("C111 do not block other requests of the same keep-alive connections", async () => {
    const stream = await follow(ada);
    expect((await call(ada, "GET", "orders")).status).toBe(200);
    expect(stream.hasEnded()).toBe(false);
  });
});

describe("C111 the end of a service", () => {
  beforeEach(async () => {
    await prepare();
    await reset();
  });
  afterEach(closeAll);

  it("C111 ends its streams immediately, and they continue at another instance without loss", async () => {
    const stream = await follow(ada, "?fields=title");
    await write("POST", "orders", { title: "a" });
    await stream.take(1);
    await stream.positionId();
    await closeAll();
    await vi.waitUntil(() => stream.hasEnded(), patience);
    await prepare();
    await write("POST", "orders", { title: "b" });
    const again = await follow(ada, "?fields=title", { "last-event-id": stream.lastId() });
    expect(await again.take(1)).toEqual([["created", { title: "b" }]]);
  });

  it("C111 reach the client, which continues at a service that starts again", async () => {
    const api = makeClient<EventsApi>({ baseUrl: url, headers: ada });
    const stop = new AbortController();
    const titles: string[] = [];
    const following = (async () => {
      for await (const event of api.orders.subscribe({ fields: ["title"] }, { signal: stop.signal }))
        titles.push(event.type === "created" ? event.data.title : event.type);
    })();
    await vi.waitUntil(() => titles.includes("ready"), patience);
    await write("POST", "orders", { title: "a" });
    await vi.waitUntil(() => titles.includes("a"), patience);
    const port = Number(new URL(url).port);
    await closeAll();
    await prepare({ port });
    await write("POST", "orders", { title: "b" });
    await vi.waitUntil(() => titles.includes("b"), patience);
    expect(titles).toEqual(["ready", "a", "b"]);
    stop.abort();
    await following;
  });

  it("C111 streams of two instances receive the changes of both", async () => {
    const first = url;
    const stream = await follow(ada, "?fields=title");
    await prepare();
    const other = await follow(ada, "?fields=title");
    await write("POST", "orders", { title: "of the second" });
    url = first;
    await write("POST", "orders", { title: "of the first" });
    for (const each of [stream, other])
      expect((await each.take(2)).map(([, data]) => (data as { title: string }).title).sort()).toEqual([
        "of the first",
        "of the second",
      ]);
  });
});

it("C111 models with changes: true have no event route, and log no commit", async () => {
  await prepare({ models: { ...configured, Order: { ...configured.Order, changes: true }, Note: { auth: open } } });
  await reset();
  expect((await call(admin, "GET", "orders/events")).status).toBe(404);
  const { port } = new URL(url);
  await new Promise<void>((resolve, reject) => {
    httpRequest({ port, path: "/api/orders", headers: admin }, (response) => {
      response.resume();
      response.on("end", resolve);
    })
      .on("error", reject)
      .end();
  });
  await write("POST", "orders", { title: "a" });
  const rows = (await client.$queryRawUnsafe(
    `SELECT query FROM pg_stat_activity WHERE datname = current_database() AND query ~ 'pg_notify|^LISTEN' AND query !~ 'pg_stat'`,
  )) as readonly unknown[];
  expect(rows).toEqual([]);
  await closeAll();
});
