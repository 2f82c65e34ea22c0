import { setImmediate as nextTick } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Database } from "../database/make-database.js";
import { ormErrors } from "../errors/orm-errors.js";
import { unavailable } from "../errors/unavailable.js";
import { type ReadSession, withReplicas } from "./with-replicas.js";

/** A server of PostgreSQL: its position, and what its reads do. */
interface Server {
  position: number;
  isStandby: boolean;
  /** The error of its queries; `undefined` while it responds. */
  failure: Error | undefined;
  /** The reads that it received. */
  readonly reads: string[];
}

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
/** An error of the driver with a code of PostgreSQL. */
const driverError = (code: string): Error =>
  Object.assign(new Error(`failed with ${code}`), { name: "DriverAdapterError", cause: { kind: "postgres", code } });

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const lsn = (position: number): string => `0/${position.toString(16)}`;

/** A database whose rows are the name of its server. */
function databaseOf(name: string, server: Server): Database {
  const read = (operation: string) => async () => {
    server.reads.push(operation);
    if (server.failure !== undefined) throw server.failure === refused ? unavailable(refused) : server.failure;
    return [{ name }];
  };
  const delegate = {
    findMany: read("findMany"),
    findFirst: async () => (await read("findFirst")())[0],
    findUnique: async () => (await read("findUnique")())[0],
    count: async () => (await read("count")()).length,
    execute: async ({ operation }: { operation: string }) => ({ rows: await read(operation)() }),
    create: async () => (await read("create")())[0],
  };
  const own = { of: () => delegate, client: { name }, disconnect: async () => undefined };
  return own as unknown as Database;
}

function open(names: readonly string[] = ["one"], { maxLagMs = 60_000 } = {}) {
  const made = (): Server => ({ position: 100, isStandby: true, failure: undefined, reads: [] });
  const primary = made();
  const servers = new Map(names.map((name) => [name, made()]));
  let session: ReadSession | undefined;
  const log = { info: vi.fn(), warn: vi.fn() };
  const queryOf = (server: Server, row: () => object) => async (): Promise<readonly object[]> => {
    if (server.failure !== undefined) throw server.failure;
    return [row()];
  };
  const ended = async () => undefined;
  const replicated = withReplicas({
    primary: databaseOf("primary", primary),
    connections: {
      query: queryOf(primary, () => ({ flushed: lsn(primary.position), committed: lsn(primary.position + 1) })),
      end: ended,
    },
    replicas: [...servers].map(([name, server]) => ({
      name,
      database: databaseOf(name, server),
      connections: {
        query: queryOf(server, () => ({ standby: server.isStandby, position: lsn(server.position), age: 0 })),
        end: ended,
      },
    })),
    maxLagMs,
    session: () => session,
    log,
  });
  closing.push(() => replicated.database.disconnect());
  const { database } = replicated;
  return {
    ...{ ...replicated, primary, log, database },
    server: (name: string) => servers.get(name) ?? expect.fail(name),
    setSession: (next: ReadSession | undefined) => {
      session = next;
    },
    /** The server of a read. */
    readFrom: async () => (await database.reads.of("Tag").findMany())[0]?.name,
    /** Waits until these replicas are in the rotation. */
    whenReading: (...expected: readonly string[]) =>
      expect
        .poll(() => replicated.states().flatMap(({ name, isInRotation }) => (isInRotation ? [name] : [])))
        .toEqual(expected),
  };
}

describe("C121 a database with replicas", () => {
  it("reads from the replicas alternately, and writes to the primary", async () => {
    const { database, whenReading, readFrom, primary } = open(["one", "two"]);
    expect(await readFrom()).toBe("primary");
    await whenReading("one", "two");
    expect(new Set([await readFrom(), await readFrom()])).toEqual(new Set(["one", "two"]));
    primary.reads.splice(0);
    const rows = database.reads.of("Tag");
    expect(await rows.create({ data: {} })).toEqual({ name: "primary" });
    expect(await rows.execute({ operation: "create", args: { data: {} } })).toEqual({ rows: [{ name: "primary" }] });
    expect(primary.reads).toEqual(["create", "create"]);
    expect(await database.of("Tag").findMany()).toEqual([{ name: "primary" }]);
  });

  it("reads rows, single rows, numbers and results of queries from a replica", async () => {
    const { database, whenReading, server } = open();
    await whenReading("one");
    const rows = database.reads.of("Tag");
    expect(await rows.findFirst()).toEqual({ name: "one" });
    expect(await rows.findUnique({ where: {} })).toEqual({ name: "one" });
    expect(await rows.count()).toBe(1);
    expect(await rows.execute({ operation: "findMany", args: {} })).toEqual({ rows: [{ name: "one" }] });
    expect(server("one").reads).toEqual(["findFirst", "findUnique", "count", "findMany"]);
    expect(database.reads.of("Tag")).toBe(rows);
    expect(database.reads.reads).toBe(database.reads);
  });

  it("reads everything of a session from one server", async () => {
    const { whenReading, readFrom, setSession } = open(["one", "two"]);
    await whenReading("one", "two");
    for (let turn = 0; turn < 3; turn++) {
      setSession({ needed: 0n });
      const first = await readFrom();
      expect([await readFrom(), await readFrom(), await readFrom()]).toEqual([first, first, first]);
      setSession(undefined);
      await readFrom();
    }
  });

  it("reads from the primary if a session needs the latest state", async () => {
    const { whenReading, readFrom, setSession } = open();
    await whenReading("one");
    setSession({ needed: "latest" });
    expect(await readFrom()).toBe("primary");
    setSession({ needed: 100n });
    expect(await readFrom()).toBe("one");
  });

  it("waits for the position that a session needs, and otherwise reads from the primary", async () => {
    const { whenReading, readFrom, setSession, server } = open();
    await whenReading("one");
    setSession({ needed: 200n });
    const read = readFrom();
    server("one").position = 200;
    expect(await read).toBe("one");
    setSession({ needed: 300n });
    expect(await readFrom()).toBe("primary");
    expect(await readFrom()).toBe("primary");
  });

  it("repeats a failed read on the primary, and continues there with its session", async () => {
    const { whenReading, readFrom, setSession, server, log } = open();
    await whenReading("one");
    setSession({ needed: 0n });
    expect(await readFrom()).toBe("one");
    server("one").failure = refused;
    expect(await readFrom()).toBe("primary");
    expect(await readFrom()).toBe("primary");
    await whenReading();
    expect(log.warn).toHaveBeenLastCalledWith(
      { replica: "one", err: refused },
      "the replica is unavailable: it is not read from",
    );
    server("one").failure = undefined;
    await whenReading("one");
    expect(log.info).toHaveBeenCalledTimes(2);
    expect(log.info).toHaveBeenLastCalledWith({ replica: "one" }, "the replica is in the rotation");
    expect(await readFrom()).toBe("primary");
    setSession({ needed: 0n });
    expect(await readFrom()).toBe("one");
  });

  it.each([
    [ormErrors.DatabaseUnavailable(), true],
    [ormErrors.WriteConflict(), true],
    [driverError("53300"), true],
    [driverError("40001"), true],
    [driverError("57014"), false],
    [ormErrors.DatabaseTimeout("too long", { cause: driverError("57014") }), false],
    [ormErrors.InvalidQuery("no such field"), false],
    [new Error("of the application"), false],
  ])("repeats a read that fails with %o: %s", async (error, isRepeated) => {
    const { whenReading, readFrom, server, primary } = open();
    await whenReading("one");
    primary.reads.splice(0);
    server("one").failure = error;
    if (isRepeated) expect(await readFrom()).toBe("primary");
    else await expect(readFrom()).rejects.toBe(error);
    expect(primary.reads).toEqual(isRepeated ? ["findMany"] : []);
  });

  it("does not read from a replica that accepts writes or lags", async () => {
    const { whenReading, server, log, readFrom } = open(["one"], { maxLagMs: -1 });
    await expect
      .poll(() => log.warn.mock.calls)
      .toEqual([
        [{ replica: "one", lagMs: expect.any(Number), maxLagMs: -1 }, "the replica lags: it is not read from"],
      ]);
    server("one").isStandby = false;
    await expect
      .poll(() => log.warn.mock.calls.at(-1))
      .toEqual([{ replica: "one" }, "the replica accepts writes, so it is not read from"]);
    await whenReading();
    expect(await readFrom()).toBe("primary");
  });

  it("runs reads of the application with the client of the server", async () => {
    const { withClient, whenReading } = open();
    const nameOf = (client: object) => Promise.resolve((client as { name: string }).name);
    expect(await withClient(nameOf)).toBe("primary");
    await whenReading("one");
    expect(await withClient(nameOf)).toBe("one");
    const run = async (error: Error): Promise<readonly string[]> => {
      const names: string[] = [];
      const failing = withClient(async (client) => {
        names.push(await nameOf(client));
        throw error;
      });
      await expect(failing).rejects.toThrow();
      return names;
    };
    expect(await run(new Error("of the application"))).toEqual(["one"]);
    expect(await run(driverError("53300"))).toEqual(["one", "primary"]);
    await expect(withClient(() => Promise.reject(driverError("25006")))).rejects.toThrow(
      new TypeError("The work of read.run writes, which a replica rejects. Use the client of the context."),
    );
  });

  it("has the position of the primary, which contains every commit", async () => {
    const { position, primary } = open();
    expect(await position()).toBe(101n);
    primary.position = 300;
    expect(await position()).toBe(301n);
    primary.failure = refused;
    await expect(position()).rejects.toBe(refused);
  });

  it("shares the query of the position between calls of the same time", async () => {
    const { position, primary } = open();
    await position();
    const first = position();
    const second = [position(), position()];
    primary.position = 500;
    await first;
    expect(await Promise.all(second)).toEqual([501n, 501n]);
  });

  it("waits until the replicas that are read from have the state of the primary", async () => {
    const { replayed, whenReading, server, primary } = open(["one", "two"]);
    await whenReading("one", "two");
    await replayed();
    primary.position = 150;
    let isReplayed = false;
    const done = replayed().then(() => {
      isReplayed = true;
    });
    server("one").position = 150;
    for (let ticks = 0; ticks < 5; ticks++) await nextTick();
    expect(isReplayed).toBe(false);
    server("two").position = 150;
    await done;
    primary.failure = refused;
    await replayed();
  });

  it("waits for no replica that is not read from", async () => {
    const { replayed, whenReading, server, primary } = open(["one", "two"]);
    await whenReading("one", "two");
    server("two").isStandby = false;
    await whenReading("one");
    server("one").position = 150;
    primary.position = 150;
    await replayed();
  });
});
