import path from "node:path";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { readEvents } from "../../../../packages/service/test/event-reader.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { createPushedDatabase } from "../../../../scripts/test/template-database.js";
import { PrismaClient } from "../generated/events/client/client.js";
import { models } from "../generated/events/models.js";

const { init, closeAll } = makeStarter();
const schema = "shop";
let created: Awaited<ReturnType<typeof createPushedDatabase>>;

beforeAll(async () => {
  created = await createPushedDatabase(
    inject("postgresUrl"),
    path.join(import.meta.dirname, "../fixtures/events/schema.prisma"),
  );
  const connection = new pg.Client({ connectionString: created.url });
  await connection.connect();
  await connection.query(`ALTER SCHEMA public RENAME TO ${schema}`);
  await connection.end();
});
afterEach(closeAll);
afterAll(() => created?.drop());

it("C107 events and C106 histories of a client that the application created are read from the schema of DATABASE_URL", async () => {
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: created.url }, { schema }) });
  const url = new URL(created.url);
  url.searchParams.set("schema", schema);
  const service = await init(
    {
      database: { models, client },
      models: { Note: { changes: { history: true, events: true } } },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: url.href } },
  );
  const events = await readEvents(`${service.url}/api/notes/events?text__contains=e`);
  const response = await fetch(`${service.url}/api/notes`, {
    ...{ method: "POST", headers: { "content-type": "application/json" } },
    body: JSON.stringify({ id: "a", text: "one" }),
  });
  expect([events.status, response.status]).toEqual([200, 201]);
  expect(await events.take(1)).toEqual([["created", { id: "a", text: "one" }]]);
  events.close();
  const history = await fetch(`${service.url}/api/notes/a/history`);
  expect(await history.json()).toMatchObject({ data: [{ operation: "create" }] });
});
