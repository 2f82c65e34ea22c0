import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { slowShare } from "../../../scripts/test/slow-share.js";
import { createClient } from "../src/database.js";
import { createShopDatabase } from "./shop.js";

// Of fewer rows the first half would be the growth of the heap to its usual size.
const rows = Math.max(250_000, Math.round(1_000_000 * slowShare));
const megabyte = 1024 * 1024;

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
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "processes/export-service.mjs")], {
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
  "C104 exports a million rows as %s without more memory than for some",
  async (_name, accept, query, head) => {
    const { url, memory } = await start();
    const all = `${url}/api/products?${query}`;
    // The code is compiled, and pages have their full size.
    expect((await fetch(`${all}&limit=10000`, { headers: { accept } }).then(count)).lines).toBe(10_000 + head);
    const before = Math.max(...memory.map(({ rss }) => rss));
    memory.length = 0;
    const began = performance.now();
    const { lines, bytes } = await fetch(all, { headers: { accept } }).then(count);
    const seconds = (performance.now() - began) / 1_000;
    expect(lines).toBe(stored + head);
    const most = Math.max(...memory.map(({ rss }) => rss));
    const heap = Math.max(...memory.map(({ heapUsed }) => heapUsed));
    console.log(
      `${accept}: ${lines} lines, ${Math.round(bytes / megabyte)} MB in ${seconds.toFixed(1)} s; resident ${Math.round(before / megabyte)} MB before, at most ${Math.round(most / megabyte)} MB; heap at most ${Math.round(heap / megabyte)} MB`,
    );
    const peak = (samples: readonly Memory[]): number => Math.max(...samples.map(({ rss }) => rss));
    const half = Math.floor(memory.length / 2);
    // A row takes about a kilobyte in memory: what is left of the rows would show in the second half.
    expect(peak(memory.slice(half))).toBeLessThan(peak(memory.slice(0, half)) + 60 * megabyte);
    // V8 lets the heap grow to about four times of what lives in it before it collects all of it.
    expect(most).toBeLessThan(before + 300 * megabyte);
  },
  900_000,
);
