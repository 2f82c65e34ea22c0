import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import service, { type RunningService, ServiceRouter, sendJson } from "../src/index.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** Twenty clients in a separate process, each sending requests in sequence until it is stopped. */
const clients = `
  const counts = {};
  let isOver = false;
  process.stdin.once("data", () => { isOver = true; });
  const client = async () => {
    while (!isOver) {
      const response = await fetch(process.argv[1]);
      await response.arrayBuffer();
      counts[response.status] = (counts[response.status] ?? 0) + 1;
    }
  };
  Promise.all(Array.from({ length: 20 }, client)).then(() => {
    process.stdout.write(JSON.stringify(counts));
    process.exit(0);
  });
`;

function startClients(url: string): () => Promise<Record<string, number>> {
  const child = spawn(process.execPath, ["-e", clients, url], { stdio: ["pipe", "pipe", "inherit"] });
  cleanUp.push(() => child.kill("SIGKILL"));
  let reported = "";
  child.stdout.on("data", (chunk) => {
    reported += chunk;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return async () => {
    child.stdin.write("end");
    await ended;
    return JSON.parse(reported);
  };
}

const contextOf = service.context<PrismaClient>();
const router = ServiceRouter();
/** Five statements, so that a pause occurs between two. */
router.get({ path: "/transaction" }, async (request, response) => {
  const { database } = contextOf(request);
  await database.transaction(async (inner) => {
    await inner.of("Note").create({ data: { text: "a" } });
    for (let i = 0; i < 4; i++) await inner.of("Note").count({});
  });
  sendJson(response, 200, {});
});

async function start(): Promise<RunningService> {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  cleanUp.push(() => created.drop());
  return init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), poolSize: 3 },
      middlewares: { rateLimit: false },
      use: [router],
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
  );
}

function standStill(milliseconds: number): void {
  const late = performance.now() + milliseconds;
  while (performance.now() < late);
}

it("C67 a process that is paused for 3 s does not log that its database is unavailable", async () => {
  const running = await start();
  expect((await fetch(`${running.url}/api/notes`)).status).toBe(200);
  const end = startClients(`${running.url}/api/notes`);
  for (let round = 0; round < 2; round++) {
    // Twenty clients and three connections: some requests run, others wait.
    await wait(1_000);
    standStill(3_000);
    const ready = await fetch(`${running.url}/api/health/ready`);
    expect(ready.status).toBe(200);
  }
  const { 200: right = 0, ...wrong } = await end();
  expect(wrong).toEqual({});
  expect(right).toBeGreaterThan(0);
});

it("C67 transactions and requests survive a pause that is longer than their limits", {
  timeout: 300_000,
}, async () => {
  const running = await start();
  const end = startClients(`${running.url}/transaction`);
  await wait(1_000);
  // Transactions have 15 s and requests 30 s.
  standStill(32_000);
  await wait(1_000);
  const { 200: right = 0, ...wrong } = await end();
  expect(wrong).toEqual({});
  expect(right).toBeGreaterThan(0);
});

it("C67 a process with a tenth of a processor fails no transaction with 500", {
  timeout: 300_000,
}, async () => {
  const running = await start();
  const end = startClients(`${running.url}/transaction`);
  for (let turn = 0; turn < 40; turn++) {
    await wait(50);
    standStill(450);
  }
  const { 200: right = 0, 503: rejected = 0, ...wrong } = await end();
  console.log(`with a tenth of the processor: ${right} written, ${rejected} rejected`);
  expect(wrong).toEqual({});
  expect(right).toBeGreaterThan(0);
});
