import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { rolldown } from "rolldown";
import { afterAll, expect, inject, it, vi } from "vitest";
import { drawn } from "../../../scripts/test/slow-share.js";
import { createPushedDatabase } from "../../../scripts/test/template-database.js";
import { openReceiver } from "../../webhooks/test/receiver.js";

const writes = drawn(1_000);
const kills = drawn(20);
/** Rows whose messages must arrive in order. */
const rows = drawn(50);

const cleanUp: (() => unknown)[] = [];
afterAll(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** Bundles the program of the process for a Node without TypeScript; packages are those of the build. */
async function bundleProgram(): Promise<string> {
  const folder = mkdtempSync(path.join(import.meta.dirname, "generated/process-"));
  cleanUp.push(() => rmSync(folder, { recursive: true, force: true }));
  const input = path.join(import.meta.dirname, "webhook-process.ts");
  const bundle = await rolldown({ input, external: /^(@servicekit|@prisma|node:)/, platform: "node" });
  const file = path.join(folder, "process.mjs");
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
  return file;
}

it("C112 loses no message when its process is killed again and again, and repeats messages only with the same id", async () => {
  const schema = path.join(import.meta.dirname, "fixtures/webhooks/schema.prisma");
  const { url: databaseUrl, drop } = await createPushedDatabase(inject("postgresUrl"), schema);
  cleanUp.push(drop);
  const receiver = await openReceiver();
  cleanUp.push(() => receiver.close());
  const program = await bundleProgram();
  let child: ChildProcess | undefined;
  cleanUp.push(() => child?.kill("SIGKILL"));
  const start = async (): Promise<string> => {
    child = spawn(process.execPath, [program], {
      env: { ...process.env, NODE_ENV: "test", DATABASE_URL: databaseUrl, RECEIVER: receiver.url },
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), "line")) as [string];
    return line;
  };

  let url = await start();
  let killed = 0;
  const send = (method: string, at: string, title: string): Promise<Response> =>
    fetch(`${url}/api/orders${at}`, {
      ...{ method, headers: { "content-type": "application/json" }, body: JSON.stringify({ title }) },
    });
  const ids: number[] = [];
  for (let index = 0; index < writes; index++) {
    const id = ids[index % rows];
    // A write whose response is lost may have been committed: the database has the truth.
    const response = await (id === undefined
      ? send("POST", "", String(index))
      : send("PATCH", `/${id}`, String(index))
    ).catch(() => undefined);
    if (id === undefined && response?.status === 201) {
      const { data } = (await response.json()) as { data: { id: number } };
      ids.push(data.id);
    }
    if (index % (writes / kills) === writes / kills - 1) {
      // In the middle of a write, of the hand-over and of deliveries.
      void send("POST", "", "cut").catch(() => undefined);
      const ended = once(child as ChildProcess, "exit");
      child?.kill("SIGKILL");
      await ended;
      killed++;
      url = await start();
    }
  }
  expect(killed).toBe(kills);

  const connection = new pg.Client({ connectionString: databaseUrl });
  await connection.connect();
  cleanUp.push(() => connection.end());
  const { rows: changes } = await connection.query<{ id: string; key: string; title: string }>(
    `SELECT format('evt_%s_%s_%s', id, transaction, (extract(epoch FROM time) * 1000)::bigint) AS id, key, after->>'title' AS title FROM "Change" ORDER BY "Change".id`,
  );
  expect(changes.length).toBeGreaterThanOrEqual(writes);
  const idsOf = () => receiver.received.map(({ headers }) => String(headers["webhook-id"]));
  await vi.waitFor(
    () => {
      const received = new Set(idsOf());
      expect(changes.filter(({ id }) => !received.has(id))).toEqual([]);
    },
    { timeout: 600_000, interval: 500 },
  );

  const bodies = new Map<string, string>();
  for (const { headers, body } of receiver.received) {
    const id = String(headers["webhook-id"]);
    expect(bodies.get(id) ?? body).toBe(body);
    bodies.set(id, body);
  }
  expect([...bodies.keys()].sort()).toEqual(changes.map(({ id }) => id).sort());
  // The first message with each id: in the order of the changes of its row.
  const seen = new Set(idsOf());
  const titlesByRow = new Map<string, string[]>();
  for (const id of seen) {
    const { data } = JSON.parse(bodies.get(id) ?? "") as { data: { id: number; title: string } };
    titlesByRow.set(String(data.id), [...(titlesByRow.get(String(data.id)) ?? []), data.title]);
  }
  for (const [key, titles] of titlesByRow)
    expect(titles).toEqual(changes.filter((change) => change.key === key).map(({ title }) => title));
  console.log(`${changes.length} changes, ${receiver.received.length} messages, ${killed} kills`);
}, 1_800_000);
