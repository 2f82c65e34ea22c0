import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { slowShare } from "../../../scripts/test/slow-share.js";
import { createClient } from "../src/database.js";
import { createShopDatabase } from "./shop.js";

// Fewer rows could fit into the heap.
const rows = Math.max(250_000, Math.round(1_000_000 * slowShare));
const megabyte = 1024 * 1024;
// In megabytes. Without a limit V8 lets the heap grow to several times of what lives in it, by an amount that differs per run.
const heapLimit = 96;

let database: Awaited<ReturnType<typeof createShopDatabase>>;
let stored: number;
let running: ChildProcess | undefined;
beforeAll(async () => {
  database = await createShopDatabase({
    key: `export of ${rows} rows`,
    fill: (client) =>
      client.$executeRawUnsafe(
        `INSERT INTO products (sku, name, description, price, keywords, attributes, category_id, updated_at)
         SELECT 'EX-' || n, 'Product ' || n, repeat('text of ' || n || ', ', 10), n % 1000, ARRAY['a', 'b'],
           jsonb_build_object('n', n), 1, now() FROM generate_series(1, ${rows}) n`,
      ),
  });
  const client = createClient(database.url);
  stored = await client.product.count();
  await client.$disconnect();
});
afterEach(() => {
  running?.kill("SIGKILL");
});
afterAll(() => database?.drop());

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

async function start() {
  const service = path.join(import.meta.dirname, "processes/export-service.mjs");
  const child = spawn(process.execPath, [`--max-old-space-size=${heapLimit}`, service], {
    env: { ...process.env, DATABASE_URL: database.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running = child;
  const memory: Memory[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`exit ${code}`)));
    child.stdout.on("data", (chunk: Buffer) => {
      for (const line of String(chunk).split("\n")) {
        const [, word, rest = ""] = /^(listening|memory) (.*)$/.exec(line) ?? [];
        if (word === "listening") resolve(rest);
        if (word === "memory") memory.push(JSON.parse(rest) as Memory);
      }
    });
  });
  return { url, memory };
}

async function count(response: Response): Promise<{ lines: number; bytes: number }> {
  let lines = 0;
  let bytes = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 0x0a) lines++;
  }
  return { lines, bytes };
}

it.each([
  ["CSV", "text/csv", "sort=id", 1],
  ["JSON lines", "application/x-ndjson", "sort=-price&include=category", 0],
])(
  "C104 exports a million rows as %s from a heap that could not store them",
  async (_name, accept, query, head) => {
    const { url, memory } = await start();
    const all = `${url}/api/products?${query}`;
    // The code is compiled, and pages have their full size.
    expect((await fetch(`${all}&limit=10000`, { headers: { accept } }).then(count)).lines).toBe(10_000 + head);
    memory.length = 0;
    const began = performance.now();
    const { lines, bytes } = await fetch(all, { headers: { accept } }).then(count);
    const seconds = (performance.now() - began) / 1_000;
    expect(lines).toBe(stored + head);
    const peak = (name: keyof Memory): number => Math.max(...memory.map((sample) => sample[name]));
    console.log(
      `${accept}: ${lines} lines, ${Math.round(bytes / megabyte)} MB in ${seconds.toFixed(1)} s; at most ${Math.round(peak("rss") / megabyte)} MB resident; heap at most ${Math.round(peak("heapUsed") / megabyte)} MB; external ${Math.round(peak("external") / megabyte)} MB`,
    );
    // A row takes about a kilobyte in memory: a heap with this limit could not store them. Buffers are outside of it.
    expect(peak("external")).toBeLessThan(100 * megabyte);
  },
  900_000,
);
