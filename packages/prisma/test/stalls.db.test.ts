import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { blockEventLoop } from "../../../scripts/test/block-event-loop.js";
import { type Database, makeDatabase } from "../src/index.js";
import { makePostgresAdapter } from "../src/postgres/index.js";
import { PrismaClient } from "./generated/kinds/client/client.js";
import { type Kinds, models, openKinds } from "./kinds.js";

let kinds: Kinds;
const opened: (() => unknown)[] = [];
beforeAll(async () => {
  kinds = await openKinds(inject("postgresUrl"));
});
afterAll(async () => {
  for (const close of opened.reverse()) await close();
  await kinds.close();
});

/** As in a service; a busy machine must not exceed its other limits here. */
function open(options = ""): Database {
  const url = new URL(kinds.url);
  if (options !== "") url.searchParams.set("options", options);
  const timeouts = { poolWaitMs: 60_000, statementMs: 60_000 };
  const adapter = makePostgresAdapter({ url: url.href, timeouts });
  const client = new PrismaClient({ adapter });
  opened.push(() => client.$disconnect());
  return makeDatabase({ client, models, connections: adapter.connections });
}

const countOf = (database: Database, name: string): Promise<number> => database.of("Tag").count({ where: { name } });

it("C67 a transaction continues after a pause of the process, and commits completely", async () => {
  const database = open();
  await database.ping();
  const name = "stood still";
  const done = await database.transaction(
    async (inner) => {
      await inner.of("Tag").create({ data: { name } });
      blockEventLoop(1_500);
      await inner.of("Tag").createMany({ data: [{ name: `${name} 2` }, { name: `${name} 3` }] });
      return countOf(inner, name);
    },
    { timeoutMs: 1_000 },
  );
  expect(done).toBe(1);
  expect(await database.of("Tag").count({ where: { name: { startsWith: name } } })).toBe(3);
});

it("C17 C67 a transaction that takes too long while the process runs is 504 and rolled back", async () => {
  const database = open();
  const name = "too long";
  const late: unknown[] = [];
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const work = database.transaction(
    async (inner) => {
      await inner.of("Tag").create({ data: { name } });
      await ended;
      // Work that continues after that gets an error.
      await inner
        .of("Tag")
        .create({ data: { name: `${name} 2` } })
        .catch((error: unknown) => late.push(error));
    },
    { timeoutMs: 100 },
  );
  await expect(work).rejects.toMatchObject({ status: 504, code: "DatabaseTimeout" });
  end();
  await expect.poll(() => late.length).toBe(1);
  expect(await database.of("Tag").count({ where: { name: { startsWith: name } } })).toBe(0);
});

it("C17 C67 a session that PostgreSQL ended during a pause of the process is 503 and rolled back", async () => {
  const database = open("-c idle_in_transaction_session_timeout=300");
  const name = "ended";
  const work = database.transaction(async (inner) => {
    await inner.of("Tag").create({ data: { name } });
    blockEventLoop(600);
    await inner.of("Tag").create({ data: { name: `${name} 2` } });
  });
  await expect(work).rejects.toMatchObject({ status: 503, headers: { "Retry-After": "2" } });
  expect(await database.of("Tag").count({ where: { name: { startsWith: name } } })).toBe(0);
});

it("C17 C67 a transaction whose client was disconnected is 503", async () => {
  const url = kinds.url;
  const adapter = makePostgresAdapter({ url });
  const client = new PrismaClient({ adapter });
  const database = makeDatabase({ client, models, connections: adapter.connections });
  const work = database.transaction(async (inner) => {
    await countOf(inner, "none");
    await database.disconnect();
    await countOf(inner, "none");
  });
  await expect(work).rejects.toMatchObject({ status: 503 });
});
