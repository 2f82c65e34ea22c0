import type { ServiceInitConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { type EventReader, patience, readEvents } from "../../../../packages/service/test/event-reader.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/events/client/client.js";
import { models } from "../generated/events/models.js";

type Credentials = Readonly<Record<string, string>>;

const password = "a long staple of horses";
const { init, closeAll } = makeStarter();
let created: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;
let service: Awaited<ReturnType<typeof init>>;
let url: string;
let admin: Credentials;
const readers: EventReader[] = [];

const fields = "id title status ownerId organizationId".split(" ");
const order: NonNullable<ServiceInitConfig["models"]>["Order"] = {
  auth: { all: true, fields: { "*": fields, ADMIN: ["margin"] } },
  changes: { events: true },
};

async function start(config: ServiceInitConfig = {}): Promise<void> {
  service = await init(
    {
      middlewares: { rateLimit: false },
      authentication: {
        mode: "static",
        login: { allowedUsernames: ["username"] },
        password: { cost: 4 },
        rateLimit: false,
        ...config.authentication,
      },
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: { Order: order, Note: { auth: { all: true }, changes: { events: true } }, User: { auth: { all: true } } },
      ...(config.tenant === undefined ? {} : { tenant: config.tenant }),
    },
    {
      environment: { NODE_ENV: "test", JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e", DATABASE_URL: created.url },
    },
  );
  ({ url } = service);
  admin = await signUp("admin", { role: "ADMIN", isSuperUser: true });
}

async function call(who: Credentials, method: string, at: string, body?: unknown) {
  const response = await fetch(`${url}/api/${at}`, {
    method,
    headers: { ...who, ...(body === undefined ? {} : { "content-type": "application/json" }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

async function signUp(username: string, data: object = {}): Promise<Credentials> {
  expect((await call({}, "POST", "auth/signup", { username, password })).status).toBe(201);
  await client.user.update({ where: { username }, data });
  return signIn(username);
}

async function signIn(username: string): Promise<Credentials> {
  const { accessToken } = (await call({}, "POST", "auth/login", { username, password })).body;
  return { authorization: `Bearer ${accessToken}` };
}

async function follow(who: Credentials, query = "", at = "orders"): Promise<EventReader> {
  const reader = await readEvents(`${url}/api/${at}/events${query}`, who);
  readers.push(reader);
  return reader;
}

/** Writes as the superuser. */
async function write(method: string, at: string, body: unknown): Promise<{ readonly id: number }> {
  const sent = await call(admin, method, at, body);
  expect([sent.status < 300, sent.body]).toEqual([true, sent.body]);
  return sent.body.data;
}

const until = (check: () => unknown) => vi.waitUntil(check, { timeout: patience, interval: 50 });

beforeAll(async () => {
  const schema = new URL("../fixtures/events/schema.prisma", import.meta.url).pathname;
  created = await createPushedDatabase(inject("postgresUrl"), schema);
});
afterAll(() => created?.drop());
afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  // Not the log: its ids must not start again.
  for (const table of ["purchase orders", "User", "Organization"])
    await client.$executeRawUnsafe(`TRUNCATE "${table}" CASCADE`);
  await closeAll();
});

describe("C111 a stream with an API key", () => {
  beforeEach(() => start());

  async function makeKey(who: Credentials, more: object = {}) {
    const { status, body } = await call(who, "POST", "auth/keys", { name: "robot", ...more });
    expect([status, body]).toEqual([201, body]);
    return { id: String(body.data.id), header: { "x-api-key": String(body.data.key) } };
  }

  it("C111 has the rights of the key, and ends when the key is deleted", async () => {
    const ada = await signUp("ada", { role: "ADMIN" });
    const { id, header } = await makeKey(ada, { roles: ["ADMIN"] });
    const [ofKey, ofAda] = [await follow(header, "?fields=title,margin"), await follow(ada, "?fields=title,margin")];
    await write("POST", "orders", { title: "one", margin: "1.50" });
    const event = ["created", { title: "one", margin: "1.50" }];
    expect([await ofKey.take(1), await ofAda.take(1)]).toEqual([[event], [event]]);
    expect((await call(ada, "DELETE", `auth/keys/${id}`)).status).toBe(204);
    await write("POST", "orders", { title: "two" });
    expect(await ofAda.take(1)).toEqual([["created", { title: "two", margin: null }]]);
    await until(() => ofKey.hasEnded());
    expect(ofKey.text()).not.toContain("two");
    expect((await follow(header)).status).toBe(401);
  });

  it("C111 ends when the key expires", async () => {
    const ada = await signUp("ada");
    const { id, header } = await makeKey(ada);
    const [ofKey, ofAda] = [await follow(header), await follow(ada)];
    await client.authKey.update({ where: { id }, data: { expiresAt: new Date(Date.now() - 1) } });
    await until(async () => (await call(header, "GET", "orders")).status === 401);
    await write("POST", "orders", { title: "late" });
    await ofAda.take(1);
    await until(() => ofKey.hasEnded());
    expect(ofKey.text()).not.toContain("late");
  });
});

describe("C111 a stream whose token expires", () => {
  beforeEach(() => start({ authentication: { mode: "static", session: { accessExpiresIn: "4s" } } }));

  it("C111 ends before the next event, and at a heartbeat without one", async () => {
    const ada = await signUp("ada");
    const stream = await follow(ada);
    // The heartbeat of this stream.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const idle = await follow(ada, "", "notes");
    expect([stream.status, idle.status]).toEqual([200, 200]);
    await until(async () => (await call(ada, "GET", "orders")).status === 401);
    expect([stream.hasEnded(), idle.hasEnded()]).toEqual([false, false]);
    admin = await signIn("admin");
    await write("POST", "orders", { title: "late" });
    await until(() => stream.hasEnded());
    expect(stream.text()).not.toContain("late");
    expect(idle.hasEnded()).toBe(false);
    await vi.advanceTimersByTimeAsync(15_000);
    vi.useRealTimers();
    await until(() => idle.hasEnded());
  });
});

describe("C111 a stream whose caller gets other roles", () => {
  beforeEach(() => start());

  it("C111 receives reset, and then the fields of the new roles", async () => {
    const ada = await signUp("ada");
    const { id } = await client.user.findUniqueOrThrow({ where: { username: "ada" } });
    const stream = await follow(ada);
    await write("POST", "orders", { title: "one", margin: "1.50" });
    expect((await stream.take(1))[0]?.[1]).not.toHaveProperty("margin");
    await write("PATCH", `users/${id}`, { role: "ADMIN" });
    await write("POST", "orders", { title: "two", margin: "2.50" });
    expect(await stream.take(1)).toEqual([["reset", {}]]);
    await write("POST", "orders", { title: "three", margin: "3.50" });
    expect(await stream.take(1)).toEqual([["created", expect.objectContaining({ title: "three", margin: "3.50" })]]);
    expect(stream.text()).not.toMatch(/1\.5|2\.5/);
    await write("PATCH", `users/${id}`, { role: "MEMBER" });
    await write("POST", "orders", { title: "four", margin: "4.50" });
    expect(await stream.take(1)).toEqual([["reset", {}]]);
    await write("POST", "orders", { title: "five", margin: "5.50" });
    expect(await stream.take(1)).toEqual([["created", expect.objectContaining({ title: "five" })]]);
    expect(stream.text()).not.toMatch(/4\.5|5\.5/);
  });

  it("C111 ends when the caller is suspended", async () => {
    const [ada, bob] = [await signUp("ada"), await signUp("bob")];
    const { id } = await client.user.findUniqueOrThrow({ where: { username: "ada" } });
    const [ofAda, ofBob] = [await follow(ada), await follow(bob)];
    await write("PATCH", `users/${id}`, { isActive: false });
    await write("POST", "orders", { title: "late" });
    await ofBob.take(1);
    await until(() => ofAda.hasEnded());
    expect(ofAda.text()).not.toContain("late");
  });
});

describe("C111 streams of tenants", () => {
  beforeEach(() =>
    start({
      tenant: {
        field: "organizationId",
        of: (caller) => caller.user.organizationId,
        shared: ["Project", "Note", "Change", "AuthSession", "AuthKey"],
      },
    }),
  );

  it("C111 show no row of another tenant, also while rows and users move between tenants", async () => {
    const [one, two] = [
      await client.organization.create({ data: { name: "one" } }),
      await client.organization.create({ data: { name: "two" } }),
    ];
    const ada = await signUp("ada", { organizationId: one.id });
    const bob = await signUp("bob", { organizationId: two.id });
    const guest = await signUp("guest");
    const [ofAda, ofBob, ofGuest, ofAll] = [
      await follow(ada, "?fields=id,title"),
      await follow(bob, "?fields=id,title"),
      await follow(guest, "?fields=id,title"),
      await follow(admin, "?fields=id,title"),
    ];
    const ofOne = (await call(ada, "POST", "orders", { title: "of one" })).body.data;
    const ofTwo = (await call(bob, "POST", "orders", { title: "of two" })).body.data;
    expect(await ofAda.take(1)).toEqual([["created", { id: ofOne.id, title: "of one" }]]);
    expect(await ofBob.take(1)).toEqual([["created", { id: ofTwo.id, title: "of two" }]]);
    await ofAll.take(2);
    const move = { where: { id: ofOne.id }, data: { organizationId: two.id } };
    await service.database?.of("Order").update(move);
    expect(await ofAda.take(1)).toEqual([["removed", { id: ofOne.id }]]);
    expect(await ofBob.take(1)).toEqual([["created", { id: ofOne.id, title: "of one" }]]);
    // A user moves: the stream starts again with the rows of the other tenant.
    await client.user.update({ where: { username: "ada" }, data: { organizationId: two.id } });
    await until(async () => (await call(ada, "GET", "orders")).body.meta.total === 2);
    await call(bob, "PATCH", `orders/${ofTwo.id}`, { title: "again" });
    expect(await ofAda.take(1)).toEqual([["reset", {}]]);
    await call(bob, "PATCH", `orders/${ofTwo.id}`, { title: "and again" });
    expect(await ofAda.take(1)).toEqual([["updated", { id: ofTwo.id, title: "and again" }]]);
    expect(ofAda.text()).not.toMatch(/of two|"again"/);
    await ofAll.take(2);
    expect(ofGuest.events).toEqual([]);
  });
});

describe("C130 a service without a secret", () => {
  const startOpen = (): Promise<string> =>
    init(
      {
        middlewares: { rateLimit: false },
        database: {
          models,
          client: ({ adapter }) => {
            client = new PrismaClient({ adapter: adapter as never });
            return client;
          },
        },
        models: { Note: { changes: { events: true } } },
      },
      { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
    ).then((opened) => opened.url);
  const writeNote = async (id: string, text: string): Promise<void> => {
    expect((await call({}, "POST", "notes", { id, text })).status).toBe(201);
  };

  it("C130 stores one, with which streams continue at other instances", async () => {
    const first = await startOpen();
    const others = await Promise.all([startOpen(), startOpen()]);
    url = first;
    const stream = await follow({}, "?fields=text", "notes");
    await writeNote("a", "one");
    expect(await stream.take(1)).toEqual([["created", { text: "one" }]]);
    const id = await stream.positionId();
    stream.close();
    await writeNote("b", "two");
    for (const other of [...others, first]) {
      url = other;
      const again = await follow({}, `?fields=text&lastEventId=${id}`, "notes");
      expect(await again.take(1)).toEqual([["created", { text: "two" }]]);
    }
    expect(await client.change.count({ where: { model: "$service" } })).toBe(1);
    await client.note.deleteMany();
  });
});
