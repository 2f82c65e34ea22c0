import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, expect, inject, it } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { PrismaClient } from "./generated/notes/client/client.js";
import { models } from "./generated/notes/models.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  await closeAll();
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** Twenty clients in a process of their own, each with one request after another until it is told to end. */
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
  let told = "";
  child.stdout.on("data", (chunk) => {
    told += chunk;
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  return async () => {
    child.stdin.write("end");
    await ended;
    return JSON.parse(told);
  };
}

it("F14 C67 a process that stands still for 3 s does not say that its database is away", async () => {
  const created = await createPushedDatabase(inject("postgresUrl"), path.join(import.meta.dirname, "fixtures/notes"));
  cleanUp.push(() => created.drop());
  const running = await init(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }), poolSize: 3 },
      middlewares: { rateLimit: false },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url } },
  );
  expect((await fetch(`${running.url}/api/notes`)).status).toBe(200);
  const end = startClients(`${running.url}/api/notes`);
  for (let round = 0; round < 2; round++) {
    // Twenty clients and three connections: requests are at work, and others wait.
    await wait(1_000);
    const late = performance.now() + 3_000;
    while (performance.now() < late);
    const ready = await fetch(`${running.url}/api/health/ready`);
    expect(ready.status).toBe(200);
  }
  const { 200: right = 0, ...wrong } = await end();
  expect(wrong).toEqual({});
  expect(right).toBeGreaterThan(40);
});
