import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:http";
import net from "node:net";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readEvents } from "../../../packages/service/test/event-reader.js";
import { drawn, oneOf } from "../../../scripts/test/slow-share.js";
import { createClient } from "../src/database.js";
import { seedPassword } from "../src/seed/accounts.js";
import { freePort } from "./run-built-shop.js";
import { createShopDatabase } from "./shop.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** A line of the log. */
interface Line {
  readonly pid: number;
  readonly worker?: number;
  readonly msg: string;
  readonly url?: string;
  readonly route?: string;
  readonly level: number;
}

/** Starts a program of `processes` with workers; its output is collected. */
function start(program: string, environment: Record<string, string>) {
  const child: ChildProcess = spawn(process.execPath, [path.join(import.meta.dirname, "processes", program)], {
    env: { ...process.env, NODE_ENV: "test", HOST: "127.0.0.1", SERVICE_WORKERS: "2", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (printed += chunk));
  const lines = (): Line[] => printed.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const listening = (): Line[] => lines().filter(({ msg }) => msg === "listening");
  const exit = once(child, "close");
  cleanUp.push(() => {
    child.kill("SIGKILL");
    for (const { pid } of listening()) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  });
  return {
    child,
    exit,
    lines,
    printed: () => printed,
    /** The serving worker, by its number. */
    workers: (): Map<number, number> => new Map(listening().map(({ worker = 0, pid }) => [worker, pid])),
    url: (): string => listening()[0]?.url ?? "",
    listening: (count: number) => expect.poll(() => listening().length, { interval: 20 }).toBeGreaterThanOrEqual(count),
  };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** One request on a separate connection, so that the workers alternate. */
async function call(url: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url, { ...init, headers: { connection: "close", ...init.headers } });
  return { status: response.status, body: await response.json() };
}

async function startShop(more: Record<string, string> = {}) {
  const database = await createShopDatabase();
  cleanUp.push(() => database.drop());
  const shop = start("shop-workers.mjs", { DATABASE_URL: database.url, DATABASE_POOL_SIZE: "4", PORT: "0", ...more });
  await shop.listening(2);
  return { ...shop, database, url: shop.url() };
}

/** How often a worker is killed under load; `ROUNDS=3` for a sampled run. */
const rounds = Number(process.env.ROUNDS ?? drawn(3));

/** Each test starts several processes: a sampled run chooses one of each group. */
const chosen: readonly string[] = [
  ["limits", "keep-alive connections"],
  ["tokens", "events"],
  ["second signal", "killed primary", "replaced workers"],
  ["no start", "invalid configuration"],
].flatMap((group) => oneOf(group));

describe("C78 two workers", () => {
  it.runIf(chosen.includes("limits"))(
    "count limits together: 20 of 60 requests pass, whichever worker receives them, and metrics have the number of the worker",
    async () => {
      const metricsPort = await freePort();
      const { url } = await startShop({ SERVICE_METRICS_PORT: String(metricsPort) });
      const responses = await Promise.all(Array.from({ length: 60 }, () => call(`${url}/limited`)));
      const passed = responses.filter(({ status }) => status === 200).length;
      expect([passed, responses.filter(({ status }) => status === 429).length]).toEqual([20, 40]);
      const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      const counts = [...metrics.matchAll(/_count\{.*route="\/limited".*worker="(\d)"\} (\d+)/g)];
      expect(new Set(counts.map(([, worker]) => worker))).toEqual(new Set(["1", "2"]));
      expect(counts.reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(60);
      expect(metrics.match(/^# TYPE http_request_duration_seconds /gm)).toHaveLength(1);
      expect(metrics).toMatch(/^process_resident_memory_bytes\{worker="1"\} \d+$/m);
    },
  );

  it.runIf(chosen.includes("keep-alive connections"))(
    "allow 500 of 800 requests on keep-alive connections, and the remaining number never increases",
    async () => {
      const { url } = await startShop();
      const agent = new Agent({ keepAlive: true, maxSockets: 12 });
      cleanUp.push(() => agent.destroy());
      const bySocket = new Map<unknown, number[]>();
      const askKept = () =>
        new Promise<number | undefined>((resolve, reject) => {
          const request = get(`${url}/limited/more`, { agent }, (response) => {
            response.resume();
            response.on("end", () => {
              const seen = bySocket.get(request.socket) ?? [];
              bySocket.set(request.socket, seen);
              seen.push(Number(response.headers["ratelimit-remaining"]));
              resolve(response.statusCode);
            });
          }).on("error", reject);
        });
      const statuses = await Promise.all(Array.from({ length: 800 }, askKept));
      expect(statuses.filter((status) => status === 200)).toHaveLength(500);
      expect(statuses.filter((status) => status === 429)).toHaveLength(300);
      for (const seen of bySocket.values()) expect(seen).toEqual([...seen].sort((one, other) => other - one));
    },
  );

  it.runIf(chosen.includes("tokens"))("serve the shop like npm start, and accept each other's tokens", async () => {
    const database = await createShopDatabase();
    cleanUp.push(() => database.drop());
    const given = { DATABASE_URL: database.url, ACCOUNTS: "static", PORT: String(await freePort()) };
    const shop = start("../../dist/main.js", given);
    await shop.listening(2);
    const signedIn = await fetch(`${shop.url()}/api/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ username: "ada", password: seedPassword }),
    });
    const cookie = signedIn.headers
      .getSetCookie()
      .map((each) => each.replace(/;.*/, ""))
      .join("; ");
    const requested = Array.from({ length: 8 }, () =>
      call(`${shop.url()}/api/orders?limit=1`, { headers: { cookie } }),
    );
    expect((await Promise.all(requested)).map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
    // Lines are written once a second.
    const served = () => new Set(shop.lines().flatMap(({ msg, worker }) => (msg === "request" ? [worker] : [])));
    await expect.poll(served).toEqual(new Set([1, 2]));
    expect(shop.printed()).not.toContain("cannot start");
  });

  it.runIf(chosen.includes("events"))("C111 send each other's changes to their streams of events", async () => {
    const database = await createShopDatabase();
    cleanUp.push(() => database.drop());
    const given = { DATABASE_URL: database.url, PORT: String(await freePort()) };
    const shop = start("../../dist/main.js", given);
    await shop.listening(2);
    const at = `${shop.url()}/api/orders`;
    // Separate connections, which the workers accept in turn.
    const streams = await Promise.all(
      Array.from({ length: 4 }, () => readEvents(`${at}/events?fields=note`, { connection: "close" })),
    );
    const notes = Array.from({ length: 8 }, (_, number) => `note ${number}`);
    for (const note of notes) {
      const init = { method: "PATCH", body: JSON.stringify({ note }), headers: { "content-type": "application/json" } };
      expect((await call(`${at}/1`, init)).status).toBe(200);
    }
    for (const stream of streams) expect(await stream.take(8)).toEqual(notes.map((note) => ["updated", { note }]));
    for (const stream of streams) stream.close();
    const workersOf = (of: string) =>
      new Set(shop.lines().flatMap(({ route, worker }) => (route === of ? [worker] : [])));
    const served = () => [workersOf("/api/orders/events"), workersOf("/api/orders/:id")];
    await expect.poll(served).toEqual([new Set([1, 2]), new Set([1, 2])]);
  });

  it("lose no acknowledged write when one is killed under load and replaced", async () => {
    const { url, workers, listening, database, lines, child, exit } = await startShop();
    const acknowledged: string[] = [];
    let failed = 0;
    let isOver = false;
    const load = Array.from({ length: 8 }, async (_, client) => {
      for (let turn = 0; !isOver; turn++) {
        const name = `Category ${client}-${turn}`;
        const body = JSON.stringify({ name, slug: name.toLowerCase().replace(" ", "-") });
        const init = { method: "POST", body, headers: { "content-type": "application/json" } };
        const reply = await call(`${url}/api/categories`, init).catch(() => undefined);
        if (reply?.status === 201) acknowledged.push(name);
        else failed++;
      }
    });
    for (let round = 1; round <= rounds; round++) {
      const before = acknowledged.length;
      await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 50);
      process.kill(workers().get(round % 2 === 0 ? 1 : 2) as number, "SIGKILL");
      await listening(2 + round);
    }
    isOver = true;
    await Promise.all(load);
    const client = createClient(database.url);
    const stored = new Set((await client.category.findMany({ select: { name: true } })).map(({ name }) => name));
    await client.$disconnect();
    console.log(`${acknowledged.length} writes acknowledged, ${failed} aborted, ${rounds} workers killed`);
    expect(acknowledged.filter((name) => !stored.has(name))).toEqual([]);
    expect(lines().filter(({ msg }) => msg.startsWith("a worker has exited"))).toHaveLength(rounds);
    child.kill("SIGTERM");
    expect(await exit).toEqual([0, null]);
  });

  const signals = [
    ["SIGTERM to the primary", false],
    ["SIGINT to all of them, as a terminal sends it", true],
  ] as const;
  it.each(oneOf(signals))("respond to all accepted requests on %s, and exit with 0", async (_, toAll) => {
    const { child, exit, printed, workers, url, listening } = start("service.mjs", {});
    await listening(2);
    const slow = Array.from({ length: 10 }, () => call(`${url()}/slow`));
    await expect.poll(() => printed().match(/begun/g)).toHaveLength(10);
    if (toAll) for (const pid of workers().values()) process.kill(pid, "SIGINT");
    child.kill(toAll ? "SIGINT" : "SIGTERM");
    expect(await Promise.all(slow)).toEqual(Array(10).fill({ status: 200, body: { data: "slow" } }));
    expect(await exit).toEqual([0, null]);
    expect([...workers().values()].filter(isAlive)).toEqual([]);
    await expect(fetch(`${url()}/api`)).rejects.toThrow();
  });

  it.runIf(chosen.includes("second signal"))("exit immediately on a second signal", async () => {
    const { child, exit, workers, url, listening, lines } = start("service.mjs", {});
    await listening(2);
    fetch(`${url()}/hangs`).catch(() => undefined);
    await expect.poll(() => call(`${url()}/api`).then(({ status }) => status)).toBe(200);
    child.kill("SIGTERM");
    await expect.poll(() => lines().some(({ msg }) => msg === "stopping the workers")).toBe(true);
    child.kill("SIGTERM");
    expect(await exit).toEqual([1, null]);
    await expect.poll(() => [...workers().values()].filter(isAlive)).toEqual([]);
  });

  it.runIf(chosen.includes("killed primary"))(
    "respond to accepted requests when their primary is killed, and exit",
    async () => {
      const { child, printed, workers, url, listening } = start("service.mjs", {});
      await listening(2);
      const slow = Array.from({ length: 6 }, () => call(`${url()}/slow`));
      await expect.poll(() => printed().match(/begun/g)).toHaveLength(6);
      child.kill("SIGKILL");
      expect(await Promise.all(slow)).toEqual(Array(6).fill({ status: 200, body: { data: "slow" } }));
      await expect.poll(() => [...workers().values()].filter(isAlive)).toEqual([]);
    },
  );

  it.runIf(chosen.includes("replaced workers"))(
    "are replaced after an uncaught exception, and after a signal to one of them",
    async () => {
      const { child, exit, workers, url, listening } = start("service.mjs", {});
      await listening(2);
      await call(`${url()}/throws-later`);
      await listening(3);
      const [first] = workers().values();
      process.kill(first as number, "SIGTERM");
      await listening(4);
      expect((await call(`${url()}/api`)).status).toBe(200);
      child.kill("SIGTERM");
      expect(await exit).toEqual([0, null]);
    },
  );

  it.runIf(chosen.includes("no start"))(
    "that cannot start exit with the message and the code of one process",
    async () => {
      const taken = net.createServer().listen(await freePort(), "127.0.0.1");
      cleanUp.push(() => taken.close());
      await once(taken, "listening");
      const { port } = taken.address() as net.AddressInfo;
      const alone = start("start-form.mjs", { PORT: String(port), SERVICE_WORKERS: "" });
      const [code] = await alone.exit;
      const together = start("start-form.mjs", { PORT: String(port), SERVICE_WORKERS: "3" });
      expect((await together.exit)[0]).toBe(code);
      const reported = (text: string) => text.match(/StartupError.*|Cannot listen.*/g);
      expect(reported(together.printed())).toEqual(reported(alone.printed()));
      expect(reported(alone.printed())).not.toBeNull();
    },
  );

  it.runIf(chosen.includes("invalid configuration"))(
    "with an invalid configuration report it once, from a process that starts no other",
    async () => {
      const wrong = start("start-form.mjs", { SERVICE_WORKERS: "0", LOG_LEVEL: "loud" });
      expect(await wrong.exit).toEqual([1, null]);
      expect(wrong.printed().match(/SERVICE_WORKERS/g)).toHaveLength(1);
      expect(wrong.printed().match(/LOG_LEVEL/g)).toHaveLength(1);
    },
  );
});
