import path from "node:path";
import { afterAll, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { DatabaseConfig } from "../src/config/service-config.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logText } = makeStarter();
const drops: (() => Promise<void>)[] = [];
afterAll(async () => {
  await closeAll();
  for (const drop of drops) await drop();
});

const plain: DatabaseConfig["client"] = ({ adapter }) => new PrismaClient({ adapter });
const extended: DatabaseConfig["client"] = ({ adapter }) => new PrismaClient({ adapter }).$extends({ query: {} });

/** Each has a database of its own, with the same rows. */
async function start(writes: DatabaseConfig["writes"], client = plain) {
  const fixture = path.join(import.meta.dirname, "fixtures/notes");
  const { url, drop } = await createPushedDatabase(inject("postgresUrl"), fixture);
  drops.push(drop);
  return init(
    { database: { models, client, ...(writes === undefined ? {} : { writes }) } },
    { environment: { NODE_ENV: "test", DATABASE_URL: url } },
  );
}

it("C71 answers the same whoever writes: bytes, tags and places", async () => {
  const services = [await start("prisma"), await start("sql"), await start(undefined)];
  const acts: readonly (readonly [method: string, path: string, body?: unknown, headers?: Record<string, string>])[] = [
    ["POST", "notes", { text: 'a "quoted" \n ü' }],
    ["POST", "notes", { text: "b" }],
    ["POST", "notes", {}],
    ["PATCH", "notes/1", { text: "c" }],
    ["PATCH", "notes/1", { text: "d" }, { "if-match": '"old"' }],
    ["PATCH", "notes/99", { text: "e" }],
    ["DELETE", "notes/2"],
    ["DELETE", "notes/2"],
    ["GET", "notes"],
  ];
  for (const [method, target, body, headers] of acts) {
    const answers = await Promise.all(
      services.map(async ({ url }) => {
        const answer = await fetch(`${url}/api/${target}`, {
          method,
          headers: { "content-type": "application/json", ...headers },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const told = ["etag", "location", "content-type"].map((name) => answer.headers.get(name));
        return { status: answer.status, told, text: (await answer.text()).replace(/"requestId":"[^"]*"/, "") };
      }),
    );
    expect(answers.slice(1), `${method} ${target}`).toEqual([answers[0], answers[0]]);
  }
});

it("C71 a client whose queries somebody extends writes by Prisma: told at debug, a fault where SQL is asked for", async () => {
  expect(logText()).not.toMatch(/written by Prisma/);
  const { url } = await start("auto", extended);
  expect(logText()).toMatch(/All rows are written by Prisma: the Prisma client has extensions\./);
  const answer = await fetch(`${url}/api/notes`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"text":"a"}',
  });
  expect(answer.status).toBe(201);
  await expect(start("sql", extended)).rejects.toThrow(/database\.writes/);
});
