import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, expect, inject, it, onTestFinished } from "vitest";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import type { RunningService } from "../src/index.js";
import { PrismaClient } from "./generated/workshop/client/client.js";
import { models } from "./generated/workshop/models.js";
import { makeProjects } from "./project-folder.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
const { project, removeAll } = makeProjects();
const head = `
  import { setTimeout as wait } from "node:timers/promises";
  import { defineJob } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
  import { z } from ${JSON.stringify(import.meta.resolve("zod"))};
  const add = (database, text) => database.of("Note").create({ data: { text }, select: { id: true } });
`;
const folder = project({
  "src/jobs/add-note.job.ts": `${head}
    export default defineJob({
      name: "add-note",
      payload: z.string(),
      handler: (text, { database }) => add(database, text),
    });
  `,
  "src/jobs/long.job.ts": `${head}
    export default defineJob({
      name: "long",
      payload: z.int(),
      handler: async (ms, { database, attempt }) => {
        await add(database, "started " + attempt);
        if (attempt === 1) await wait(ms);
        await add(database, "finished " + attempt);
      },
    });
  `,
});
const hooks = pathToFileURL(path.join(import.meta.dirname, "../../config-loader/hooks/register.mjs")).href;
let database: Awaited<ReturnType<typeof createPushedDatabase>>;
let client: PrismaClient;
beforeAll(async () => {
  database = await createPushedDatabase(
    inject("postgresUrl"),
    path.join(import.meta.dirname, "fixtures/workshop/schema.prisma"),
  );
});
afterEach(closeAll);
afterAll(async () => {
  removeAll();
  await database?.drop();
});

/** Starts a process that runs jobs. */
async function startWorker(variables: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  const program = path.join(import.meta.dirname, "job-worker-process.ts");
  const worker = spawn(process.execPath, ["--import", hooks, "--conditions=servicekit-source", program], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: "test", DATABASE_URL: database.url, SERVICEKIT_ROLE: "worker", ...variables },
  });
  onTestFinished(() => void worker.kill("SIGKILL"));
  let output = "";
  for (const stream of [worker.stdout, worker.stderr]) stream.on("data", (chunk) => (output += chunk));
  await expect
    .poll(() => {
      if (worker.exitCode !== null) throw new Error(output);
      return output;
    })
    .toContain("running jobs without listening");
  return worker;
}

/** Starts a service that sends jobs and runs none. */
const startSender = (): Promise<RunningService> =>
  init(
    {
      database: {
        models,
        client: ({ adapter }) => {
          client = new PrismaClient({ adapter: adapter as never });
          return client;
        },
      },
      models: { Note: {} },
      jobs: { run: "worker" },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: database.url }, directory: folder },
  );
const jobOf = async (name: string) => (await import(path.join(folder, `src/jobs/${name}.job.ts`))).default;
const notes = async () => (await client.note.findMany({ orderBy: { id: "asc" } })).map(({ text }) => text);
const ended = (worker: ChildProcess) => expect.poll(() => worker.exitCode ?? worker.signalCode).toBe(0);

it("C109 a worker runs jobs without listening until it is stopped", async () => {
  const worker = await startWorker();
  const { jobs } = await startSender();
  await jobs.send(await jobOf("add-note"), "sent");
  await expect.poll(notes).toEqual(["sent"]);
  worker.kill("SIGTERM");
  await ended(worker);
});

it("C109 SIGTERM ends a process after its running job", async () => {
  const worker = await startWorker();
  const { jobs } = await startSender();
  await client.note.deleteMany();
  await jobs.send(await jobOf("long"), 2_000);
  await expect.poll(notes).toEqual(["started 1"]);
  worker.kill("SIGTERM");
  await ended(worker);
  expect(await notes()).toEqual(["started 1", "finished 1"]);
});

it("C109 a job that does not end within shutdown.drain after SIGTERM runs again in another process", async () => {
  const worker = await startWorker({ SERVICE_SHUTDOWN_DRAIN: "100" });
  const { jobs } = await startSender();
  await client.note.deleteMany();
  await jobs.send(await jobOf("long"), 600_000);
  await expect.poll(notes).toEqual(["started 1"]);
  worker.kill("SIGTERM");
  await ended(worker);
  expect(await notes()).toEqual(["started 1"]);
  const other = await startWorker();
  await expect.poll(notes, { timeout: 90_000 }).toEqual(["started 1", "started 2", "finished 2"]);
  other.kill("SIGTERM");
  await ended(other);
});
