import { randomUUID } from "node:crypto";
import { connect, createServer, type Server, type Socket } from "node:net";
import type { ServiceInitConfig } from "@servicekit/service";
import { EventSource } from "eventsource";
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from "vitest";
import { patience, readEvents } from "../../../../packages/service/test/event-reader.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/events/client/client.js";
import { models } from "../generated/events/models.js";

const { init, closeAll, logged } = makeStarter();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
const sources: EventSource[] = [];
let proxy: Awaited<ReturnType<typeof openProxy>> | undefined;

beforeAll(async () => {
  const schema = new URL("../fixtures/events/schema.prisma", import.meta.url).pathname;
  created = await createPushedDatabase(inject("postgresUrl"), schema);
});
afterAll(() => created?.drop());
afterEach(async () => {
  for (const source of sources.splice(0)) source.close();
  await closeAll();
  await proxy?.close();
  proxy = undefined;
});

/** A way to the database that can be interrupted. */
async function openProxy() {
  const target = new URL(created.url);
  let isOpen = true;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    if (!isOpen) return void socket.destroy();
    const through = connect(Number(target.port || 5432), target.hostname);
    for (const one of [socket, through]) {
      sockets.add(one);
      one
        .on("error", () => undefined)
        .on("close", () => {
          sockets.delete(one);
          socket.destroy();
          through.destroy();
        });
    }
    socket.pipe(through).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(created.url);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as { readonly port: number }).port);
  const interrupt = (): void => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    interrupt,
    restore: () => {
      isOpen = true;
    },
    close: () => {
      interrupt();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function start(config: ServiceInitConfig = {}) {
  const { url } = await init(
    {
      middlewares: { rateLimit: false },
      authentication: { mode: "static", login: { allowedUsernames: ["username"] }, password: { cost: 4 } },
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter: adapter as never }) },
      models: {
        Note: { auth: { all: false }, changes: { events: true } },
        Order: { auth: { all: true, findMany: ["MEMBER"] }, changes: { events: true } },
      },
      ...config,
    },
    {
      environment: {
        NODE_ENV: "test",
        JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e",
        DATABASE_URL: proxy?.url ?? created.url,
      },
    },
  );
  const write = (text: string) =>
    fetch(`${url}/api/notes`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: randomUUID(), text }),
    });
  return { url, write };
}

/** A client with the behaviour of browsers. */
function open(url: string, query = "") {
  const statuses: number[] = [];
  const source = new EventSource(`${url}/api/notes/events${query}`, {
    fetch: async (input, options) => {
      const response = await fetch(input, options as RequestInit);
      statuses.push(response.status);
      return response as never;
    },
  });
  sources.push(source);
  const texts: string[] = [];
  const states: string[] = [];
  source.addEventListener("created", ({ data }) => texts.push((JSON.parse(data) as { text: string }).text));
  for (const name of ["ready", "reset"]) source.addEventListener(name, () => states.push(name));
  return { source, statuses, texts, states };
}

const until = (check: () => unknown) => vi.waitUntil(check, { timeout: patience, interval: 50 });

describe("C131 an EventSource", () => {
  it("C131 stays connected while the database is away, and receives the events after it is back", async () => {
    proxy = await openProxy();
    const { url, write } = await start();
    const clients = Array.from({ length: 5 }, () => open(url));
    await until(() => clients.every(({ states }) => states.includes("ready")));
    expect((await write("before")).status).toBe(201);
    await until(() => clients.every(({ texts }) => texts.includes("before")));
    proxy.interrupt();
    await until(async () => (await write("lost")).status === 503);
    proxy.restore();
    await until(async () => (await write("after")).status === 201);
    await until(() => clients.every(({ texts }) => texts.includes("after")));
    for (const { source, statuses } of clients)
      expect([source.readyState, statuses]).toEqual([EventSource.OPEN, [200]]);
  });

  it("C131 connects again after 429 and 503, which are 200 with the time to wait for a client that has an id", async () => {
    const { url } = await start({ limits: { eventStreams: 2, eventStreamsPerClient: 1 } });
    // The streams of the test before end with lines of their own.
    const earlier = logged().length;
    const first = await readEvents(`${url}/api/notes/events`);
    const id = await first.positionId();
    const headers = { accept: "text/event-stream", "last-event-id": id };
    const stateOf = async (path: string, more: Readonly<Record<string, string>>) => {
      const response = await fetch(`${url}/api/${path}`, { headers: more });
      const text = await response.text();
      return [response.status, response.headers.get("content-type"), /^retry: 3[0-2]\d{3}\n\n$/.test(text)];
    };
    const events = "text/event-stream; charset=utf-8";
    expect(await stateOf("notes/events", headers)).toEqual([200, events, true]);
    expect(await stateOf(`notes/events?lastEventId=${id}`, { accept: headers.accept })).toEqual([200, events, true]);
    // Without an id of this service, without the media type, and for other errors.
    const problem = "application/problem+json";
    for (const [path, more, status] of [
      ["notes/events", { accept: headers.accept }, 429],
      ["notes/events", { ...headers, "last-event-id": `${id}x` }, 429],
      ["notes/events", { ...headers, accept: "*/*" }, 429],
      ["notes/events?x=1", headers, 400],
      ["orders/events", headers, 401],
      ["nothing/events", headers, 404],
    ] as const)
      expect([path, ...(await stateOf(path, more))]).toEqual([path, status, expect.stringContaining(problem), false]);
    first.close();
    const statusesOf = (route: string) =>
      logged()
        .slice(earlier)
        .flatMap((line) => (line.route === route ? [line.status] : []));
    await expect.poll(() => statusesOf("/api/notes/events").filter((status) => status === 429)).toHaveLength(5);
    expect(statusesOf("/api/notes/events")).not.toContain(200);
  });

  it("C131 connects again while the database is away", async () => {
    proxy = await openProxy();
    const { url } = await start();
    const send = (path: string) =>
      fetch(`${url}/api/auth/${path}`, {
        ...{ method: "POST", headers: { "content-type": "application/json" } },
        body: JSON.stringify({ username: "ada", password: "a long staple of horses" }),
      });
    await send("signup");
    const { accessToken } = (await (await send("login")).json()) as { accessToken: string };
    const credentials = { authorization: `Bearer ${accessToken}` };
    const stream = await readEvents(`${url}/api/orders/events`, credentials);
    expect(stream.status).toBe(200);
    const headers = { ...credentials, accept: "text/event-stream", "last-event-id": await stream.positionId() };
    stream.close();
    proxy.interrupt();
    const again = async (more: object = {}) => {
      const response = await fetch(`${url}/api/orders/events`, { headers: { ...headers, ...more } });
      return [response.status, (await response.text()).startsWith("retry: ")];
    };
    await until(async () => (await again({ "last-event-id": "" }))[0] === 503);
    expect(await again()).toEqual([200, true]);
    proxy.restore();
    await until(async () => {
      const continued = await readEvents(`${url}/api/orders/events`, headers);
      const isOpen = !continued.hasEnded();
      continued.close();
      return isOpen;
    });
  });
});
