import { setTimeout as wait } from "node:timers/promises";
import { type Child, startChild, withChildren } from "../measure/child.js";
import { type LoadClient, makeLoadClient } from "../measure/load.js";
import type { Section } from "../report.js";
import { userName, userPassword, withShopDatabase } from "../shop/shop-database.js";
import { productCount } from "../shop/shop-rows.js";

const streams = 1_000;
const seconds = 10;
const rates = [10, 100];
const kinds = [
  { kind: "one filter", receivers: streams, text: `all streams with one filter: ${streams} events per write` },
  { kind: "own rows", receivers: 1, text: "each with `stock=<n>`: one event per write" },
  { kind: "many filters", receivers: streams, text: `each with another \`price[gte]\`: ${streams} events per write` },
] as const;

/** Memory, CPU time and delays of event streams (contract C111). */
export async function streamsSections(pinned: Readonly<Record<string, string>>): Promise<Section[]> {
  const rows: string[][] = [];
  await withShopDatabase((databaseUrl) =>
    withChildren([startChild("serve.js", ["streams"], { DATABASE_URL: databaseUrl, ...pinned })], async ([server]) => {
      if (server === undefined) throw new Error("There is no server.");
      const client = makeLoadClient(server.ready);
      try {
        const token = await signIn(client);
        // Compiled, with the pool open.
        await write(client, token, 100, 5);
        for (const { kind, receivers, text } of kinds) {
          const before = await server.query("memory");
          await withChildren(
            [startChild("follow.js", [String(server.ready), token, kind, String(streams)])],
            async ([follower]) => {
              if (follower === undefined) throw new Error("There is no follower.");
              const memory = (await server.query("memory")) - before;
              for (const rate of rates) {
                const row = await measure({ server, follower, client, token }, rate, receivers);
                rows.push([
                  text,
                  kind === "one filter" && rate === rates[0] ? kilobytes(memory / streams) : "",
                  ...row,
                ]);
              }
            },
          );
          // The server notices the end of the streams.
          await wait(1_000);
        }
      } finally {
        client.close();
      }
    }),
  );
  return [
    {
      title: "Live updates",
      text: `${streams} streams of events on one process, for one signed-in user, while products are updated for ${seconds} seconds. The delay is the time from the sending of the write to the receipt of its event.`,
      headings: [
        "filters",
        "memory per stream",
        "writes per second",
        "delivered",
        "CPU of the service",
        "CPU per event, µs",
        "median delay, ms",
        "99 % delay, ms",
      ],
      rows,
      rounds: 1,
    },
  ];
}

interface Setting {
  readonly server: Child;
  readonly follower: Child;
  readonly client: LoadClient;
  readonly token: string;
}

async function measure(
  { server, follower, client, token }: Setting,
  rate: number,
  receivers: number,
): Promise<string[]> {
  await follower.query("reset");
  const before = await server.query("cpu");
  const began = performance.now();
  const sent = await write(client, token, rate, seconds);
  const expected = sent * receivers;
  const deadline = performance.now() + 120_000;
  while ((await follower.query("received")) < expected && performance.now() < deadline) await wait(50);
  const elapsed = (performance.now() - began) * 1_000;
  const cpu = (await server.query("cpu")) - before;
  const received = await follower.query("received");
  const [median, high] = [await follower.query(0.5), await follower.query(0.99)];
  return [
    String(rate),
    `${received} of ${expected}`,
    `${Math.round((cpu / elapsed) * 100)} %`,
    (cpu / received).toFixed(receivers === 1 ? 0 : 1),
    median.toFixed(0),
    high.toFixed(0),
  ];
}

/** Updates products at a rate; returns the number of writes. */
async function write(client: LoadClient, token: string, rate: number, duration: number): Promise<number> {
  const count = rate * duration;
  const began = performance.now();
  const running: Promise<unknown>[] = [];
  for (let at = 0; at < count; at++) {
    const ahead = began + (at * 1_000) / rate - performance.now();
    if (ahead > 1) await wait(ahead);
    const body = JSON.stringify({ weight: Date.now(), stock: at % streams, price: "999.00" });
    const path = `/api/products/${1 + ((at * 7919) % productCount)}`;
    running.push(
      client.send({ method: "PATCH", path, body, token }).then(({ status, body: text }) => {
        if (status !== 200) throw new Error(`${path} returned ${status}: ${text}`);
      }),
    );
  }
  await Promise.all(running);
  return count;
}

async function signIn(client: LoadClient): Promise<string> {
  const body = JSON.stringify({ username: userName, password: userPassword });
  const response = await client.send({ method: "POST", path: "/api/auth/login", body });
  if (response.status !== 200) throw new Error(`The login returned ${response.status}: ${response.body}`);
  return JSON.parse(response.body).accessToken;
}

const kilobytes = (bytes: number): string => `${Math.round(bytes / 1024)} KB`;
