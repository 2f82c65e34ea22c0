import { randomBytes } from "node:crypto";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Database, makeDatabase } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
const opened: (() => unknown)[] = [];

beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
  await kinds.database.of("Tag").createMany({ data: [{ name: "a" }, { name: "b" }] });
  await kinds.database.of("Author").createMany({ data: ["a@x", "b@x"].map((email) => ({ email, password: "p" })) });
});
afterAll(async () => {
  for (const close of opened.reverse()) await close();
  await kinds.close();
});

function open(url: string, settings: Partial<Parameters<typeof makePostgresAdapter>[0]> = {}): Database {
  const client = new PrismaClient({ adapter: makePostgresAdapter({ url, ...settings }) });
  opened.push(() => client.$disconnect());
  return makeDatabase({ client, models });
}

function withUrl(change: (url: URL) => void): string {
  const url = new URL(kinds.url);
  change(url);
  return url.href;
}

/** Returns a function that waits until it has been called `count` times. */
function makeBarrier(count: number): () => Promise<void> {
  let missing = count;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return () => {
    missing--;
    if (missing === 0) open();
    return opened;
  };
}

/** A server that handles each connection as configured. */
async function listen(onConnection: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    onConnection(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as net.AddressInfo;
  return withUrl((url) => {
    url.hostname = "127.0.0.1";
    url.port = String(port);
  });
}

const unavailable = { status: 503, code: "DatabaseUnavailable", headers: { "Retry-After": "2" } };
const timeout = { status: 504, code: "DatabaseTimeout" };

describe("C17 a database that cannot be reached is 503 with Retry-After", () => {
  it.each([
    ["a port without a server", { port: "1" }],
    ["a port without a server, at a name with two addresses", { hostname: "localhost", port: "1" }],
    ["an unknown host", { hostname: "host.invalid" }],
    ["a missing database", { pathname: "/missing_database" }],
    ["a role that may not sign in", { username: "missing_role", password: "x" }],
  ])("%s", async (_what, parts) => {
    const database = open(withUrl((url) => Object.assign(url, parts)));
    await expect(database.of("Tag").findMany()).rejects.toMatchObject(unavailable);
    await expect(database.of("Tag").create({ data: { name: "z" } })).rejects.toMatchObject(unavailable);
    await expect(database.transaction((inner) => inner.of("Tag").findMany())).rejects.toMatchObject(unavailable);
    await expect(database.ping()).rejects.toMatchObject(unavailable);
  });

  it("a server that closes the connection", async () => {
    const database = open(await listen((socket) => socket.destroy()));
    await expect(database.of("Tag").findMany()).rejects.toMatchObject({ status: 503 });
  });

  it("a pool without a free connection, after the wait", async () => {
    const database = open(kinds.url, { poolSize: 1, timeouts: { poolWaitMs: 200 } });
    await database.transaction(async (inner) => {
      await inner.of("Tag").findMany();
      await expect(database.of("Tag").findMany()).rejects.toMatchObject(unavailable);
      await expect(database.transaction(async () => undefined)).rejects.toMatchObject(unavailable);
    });
    await expect(database.of("Tag").findMany()).resolves.toHaveLength(2);
  });

  it("a read-only server", async () => {
    const database = open(withUrl((url) => url.searchParams.set("options", "-c default_transaction_read_only=on")));
    await expect(database.of("Tag").create({ data: { name: "z" } })).rejects.toMatchObject(unavailable);
  });

  it("a lock that is not available", async () => {
    const database = open(withUrl((url) => url.searchParams.set("options", "-c lock_timeout=100")));
    await kinds.database.transaction(async (inner) => {
      await inner.of("Author").update({ where: { id: 1 }, data: { karma: 1 } });
      const blocked = database.of("Author").update({ where: { id: 1 }, data: { karma: 2 } });
      await expect(blocked).rejects.toMatchObject(unavailable);
    });
  });

  it("a server without a free connection", async () => {
    const role = `limited_${randomBytes(6).toString("hex")}`;
    await kinds.sql(`CREATE ROLE ${role} LOGIN PASSWORD 'x' CONNECTION LIMIT 0`);
    try {
      const database = open(withUrl((url) => Object.assign(url, { username: role, password: "x" })));
      await expect(database.of("Tag").findMany()).rejects.toMatchObject(unavailable);
    } finally {
      await kinds.sql(`DROP ROLE ${role}`);
    }
  });
});

describe("C17 a database that takes too long is 504", () => {
  it("a server that accepts and never responds", async () => {
    const database = open(await listen(() => undefined), { timeouts: { poolWaitMs: 200 } });
    await expect(database.of("Tag").findMany()).rejects.toMatchObject(timeout);
    await expect(database.ping(50)).rejects.toMatchObject(timeout);
  });

  it("a statement", async () => {
    const database = open(kinds.url, { timeouts: { statementMs: 100 } });
    await kinds.database.transaction(async (inner) => {
      await inner.of("Author").update({ where: { id: 1 }, data: { karma: 1 } });
      const blocked = database.of("Author").update({ where: { id: 1 }, data: { karma: 2 } });
      await expect(blocked).rejects.toMatchObject(timeout);
    });
  });

  it("a transaction", async () => {
    const work = kinds.database.transaction(
      async (inner) => {
        // Until it is ended: on a busy machine the time in which the process ran is longer on the clock.
        for (;;) {
          await inner.of("Tag").findMany();
        }
      },
      { timeoutMs: 50 },
    );
    await expect(work).rejects.toMatchObject(timeout);
  });

  it("a frozen connection, also in a transaction, and the pool recovers", async () => {
    const target = new URL(kinds.url);
    const frozen = { is: false };
    const url = await listen((socket) => {
      const upstream = net.connect(Number(target.port || 5432), target.hostname);
      upstream.on("error", () => socket.destroy());
      socket.on("close", () => upstream.destroy());
      socket.on("data", (chunk) => frozen.is || upstream.write(chunk));
      upstream.on("data", (chunk) => frozen.is || socket.write(chunk));
      upstream.on("close", () => socket.destroy());
    });
    const database = open(url, { poolSize: 1, timeouts: { statementMs: 100 } });
    await database.of("Tag").findMany();
    frozen.is = true;
    await expect(database.of("Tag").findMany()).rejects.toMatchObject(timeout);
    frozen.is = false;
    await expect(database.of("Tag").findMany()).resolves.toHaveLength(2);
    const work = database.transaction(async (inner) => {
      await inner.of("Tag").findMany();
      frozen.is = true;
      await inner.of("Tag").findMany();
    });
    await expect(work).rejects.toMatchObject(timeout);
    frozen.is = false;
    await expect(database.of("Tag").findMany()).resolves.toHaveLength(2);
  });
});

describe("C17 a lost connection", () => {
  const terminate = (where: string) =>
    kinds.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1`, [where]);
  const named = (name: string) =>
    open(
      withUrl((url) => url.searchParams.set("application_name", name)),
      { poolSize: 1 },
    );

  it("that was idle is replaced silently", async () => {
    const database = named("idle");
    await database.of("Tag").findMany();
    await terminate("idle");
    await expect(database.of("Tag").findMany()).resolves.toHaveLength(2);
    await terminate("idle");
    await expect.poll(() => kinds.sql("SELECT FROM pg_stat_activity WHERE application_name = 'idle'")).toHaveLength(0);
    await expect(database.of("Tag").create({ data: { name: "idle" } })).resolves.toBeDefined();
    await database.of("Tag").delete({ where: { name: "idle" } });
  });

  it("in a transaction is 503, rolls back, and later work succeeds", async () => {
    const database = named("busy");
    const work = database.transaction(async (inner) => {
      await inner.of("Tag").create({ data: { name: "lost" } });
      await terminate("busy");
      await inner.of("Tag").create({ data: { name: "lost too" } });
    });
    await expect(work).rejects.toMatchObject({ status: 503 });
    await expect(database.of("Tag").findMany()).resolves.toHaveLength(2);
  });

  it("in a read causes a retry", async () => {
    const database = named("reading");
    await database.of("Tag").findMany();
    const unlock = await kinds.lockTable("Tag");
    const reading = database.of("Tag").findMany();
    await kinds.whenBlocked();
    await terminate("reading");
    await unlock();
    await expect(reading).resolves.toHaveLength(2);
  });
});

describe("C17 a conflict", () => {
  it("of two deadlocked transactions ends with both completed", async () => {
    const { database } = kinds;
    await database.of("Author").updateMany({ where: {}, data: { karma: 0 }, everything: true });
    const attempts = { count: 0 };
    const meet = makeBarrier(2);
    const step = async (first: number, second: number): Promise<void> => {
      await database.transaction(async (inner) => {
        attempts.count++;
        await inner.of("Author").update({ where: { id: first }, data: { karma: { increment: 1 } } });
        await meet();
        await inner.of("Author").update({ where: { id: second }, data: { karma: { increment: 1 } } });
      });
    };
    await Promise.all([step(1, 2), step(2, 1)]);
    expect(attempts.count).toBeGreaterThan(2);
    const rows = await database.of("Author").findMany({ select: { karma: true } });
    expect(rows).toEqual([{ karma: 2 }, { karma: 2 }]);
  });

  it("that persists is 409 WriteConflict after three retries", async () => {
    const attempts = { count: 0 };
    await kinds.sql(`
      CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END $$;
      CREATE TRIGGER conflicting BEFORE INSERT ON "HTTPLog" FOR EACH ROW EXECUTE FUNCTION conflict();
    `);
    const { database } = kinds;
    const work = database.transaction(async (inner) => {
      attempts.count++;
      await inner.of("HTTPLog").create({ data: { id: 1 } });
    });
    await expect(work).rejects.toMatchObject({ status: 409, code: "WriteConflict" });
    expect(attempts.count).toBe(4);
    await expect(database.of("HTTPLog").create({ data: { id: 1 } })).rejects.toMatchObject({ code: "WriteConflict" });
  });

  it("of a single write causes a retry", async () => {
    await kinds.sql(`
      CREATE SEQUENCE tries;
      CREATE FUNCTION conflict_twice() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF nextval('tries') < 3 THEN RAISE EXCEPTION 'no' USING ERRCODE = '40P01'; END IF;
          RETURN NEW;
        END $$;
      CREATE TRIGGER conflicting BEFORE INSERT ON "Preset" FOR EACH ROW EXECUTE FUNCTION conflict_twice();
    `);
    await expect(kinds.database.of("Preset").create({ data: {} })).resolves.toMatchObject({ int: 7 });
  });
});

describe("a transaction", () => {
  it("is not reported as committed after a failed statement", async () => {
    const work = kinds.database.transaction(async (inner) => {
      await inner.of("Tag").create({ data: { name: "kept?" } });
      await inner
        .of("Tag")
        .create({ data: { name: "a" } })
        .catch(() => undefined);
    });
    await expect(work).rejects.toMatchObject({ status: 409, code: "UniqueConstraint" });
    await expect(kinds.database.of("Tag").count({ where: { name: "kept?" } })).resolves.toBe(0);
  });

  it("continues after a row was not found", async () => {
    await kinds.database.transaction(async (inner) => {
      await inner
        .of("Tag")
        .delete({ where: { name: "nothing" } })
        .catch(() => undefined);
      await inner.of("Tag").create({ data: { name: "kept" } });
    });
    await expect(kinds.database.of("Tag").delete({ where: { name: "kept" } })).resolves.toEqual({ name: "kept" });
  });

  it("joins its outer transaction", async () => {
    const fail = new Error("on purpose");
    const work = kinds.database.transaction(async (outer) => {
      await outer.transaction(async (inner) => {
        expect(inner.inTransaction).toBe(true);
        await inner.of("Tag").create({ data: { name: "inner" } });
      });
      throw fail;
    });
    await expect(work).rejects.toBe(fail);
    await expect(kinds.database.of("Tag").count({ where: { name: "inner" } })).resolves.toBe(0);
  });
});

it("prepared statements survive a change of the tables", async () => {
  const database = open(kinds.url, { poolSize: 1 });
  const read = () => database.of("Country").findMany();
  await read();
  await kinds.sql(`ALTER TABLE "Country" ALTER COLUMN number TYPE bigint`);
  await expect(read()).resolves.toEqual([]);
  await kinds.sql(`ALTER TABLE "Country" ALTER COLUMN number TYPE integer`);
  await expect(database.transaction((inner) => inner.of("Country").findMany())).resolves.toEqual([]);
});

it("the schema parameter of the url sets the database schema", async () => {
  await kinds.sql(`CREATE SCHEMA other; CREATE TABLE other."Tag" (name text PRIMARY KEY)`);
  const database = open(withUrl((url) => url.searchParams.set("schema", "other")));
  await expect(database.of("Tag").findMany()).resolves.toEqual([]);
});

it("ping queries the database", async () => {
  await expect(kinds.database.ping()).resolves.toBeUndefined();
});
