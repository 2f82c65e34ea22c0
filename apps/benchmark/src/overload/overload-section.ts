import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { loadSeed, withAccountsDatabase } from "../logins/with-accounts.js";
import { type Child, startChild, withChildren } from "../measure/child.js";
import { toEstimate } from "../measure/estimate.js";
import type { Section } from "../report.js";
import { drawCurves } from "./draw-curves.js";
import type { Flood, FloodOutcome } from "./send-open-loop.js";

const picture = path.join(import.meta.dirname, "..", "..", "..", "..", "docs", "overload.svg");

/** How many times what one process can bear. */
const factors = [0.5, 1, 1.5, 2, 3, 5] as const;
const sides = ["overload: as it is", "overload: shedding"] as const;
const names = ["as it is", "shedding"] as const;
const rounds = 2;
/** Milliseconds after which a client goes away. */
const patience = 3_000;

/** What was seen at one load, on one side. */
interface Point extends FloodOutcome {
  /** Good answers a second, as a part of what the process can bear. */
  readonly goodput: number;
  /** The same for a second of the processor: what others on the machine take of it does not count. */
  readonly goodputOfCpu: number;
}

/** Milliseconds of the slowest readiness probe and the slowest sign-in; infinite where one was no success. */
interface Beside {
  readonly probe: number;
  readonly login: number;
}

/**
 * The example at loads that it can and cannot bear, as it is and with load shedding (contract C70). The clients do not wait
 * for each other: they come as they come, from a process of their own. Writes the picture of `docs/operation.md`.
 */
export async function overloadSections(): Promise<Section[]> {
  const points = factors.map(() => sides.map((): Point[] => []));
  const besides = sides.map((): Beside[] => []);
  await withAccountsDatabase(async ({ url, environment, example }) => {
    await fillShop(example, url);
    const starts = sides.map((side) => startChild("serve.js", [side, example], environment));
    await withChildren(starts, async (children) => {
      const clients = await startClients();
      const requests = await shopRequests(children[0] as Child);
      const base = { requests, patience };
      // The compiler's work is no part of it.
      for (const { ready } of children) await clients.send({ ...base, port: ready, ...asFastAsItCan, seconds: 10 });
      for (let round = 0; round < rounds; round++) {
        const best = await bearable(children, (port) => clients.send({ ...base, port, ...asFastAsItCan }));
        for (const [at, factor] of factors.entries()) {
          const turns = [...children.entries()];
          for (const [side, child] of round % 2 === 0 ? turns : turns.reverse()) {
            const load = { rate: best.perSecond * factor, connections: 4_000, seconds: 8, warmUp: 4 };
            const before = await child.ask("cpu");
            const outcome = await clients.send({ ...base, port: child.ready, ...load });
            const cpu = (await child.ask("cpu")) - before;
            const goodput = outcome.good / outcome.seconds / best.perSecond;
            const goodputOfCpu = outcome.allGood / cpu / best.perCpu;
            points[at]?.[side]?.push({ ...outcome, goodput, goodputOfCpu });
            await wait(1_000);
          }
        }
        for (const [side, { ready }] of children.entries()) {
          const load = { rate: best.perSecond * 5, connections: 4_000, seconds: 8, warmUp: 4 };
          const ask = askBeside(ready);
          await clients.send({ ...base, port: ready, ...load });
          besides[side]?.push(await ask());
        }
      }
      clients.end();
    });
  });
  const curves = names.map((name, side) => ({
    name,
    points: factors.map((factor, at) => toCurvePoint(factor, points[at]?.[side] ?? [])),
  }));
  fs.writeFileSync(picture, drawCurves(curves, patience));
  return [toSection(points), toBesideSection(besides)];
}

/** 32 clients, each with one request after another. */
const asFastAsItCan = { rate: 10_000, connections: 32, seconds: 5, warmUp: 1 };

/** Good answers that one process can give in a second, and in a microsecond of CPU time: those of the better side. */
async function bearable(children: readonly Child[], send: (port: number) => Promise<FloodOutcome>) {
  let [perSecond, perCpu] = [0, 0];
  for (const child of children) {
    const before = await child.ask("cpu");
    const { good, seconds, allGood } = await send(child.ready);
    perCpu = Math.max(perCpu, allGood / ((await child.ask("cpu")) - before));
    perSecond = Math.max(perSecond, good / seconds);
  }
  return { perSecond, perCpu };
}

/** The process that the requests come from. */
async function startClients() {
  const child = fork(path.join(import.meta.dirname, "..", "processes", "flood.js"));
  await once(child, "message");
  return {
    send: async (flood: Flood): Promise<FloodOutcome> => {
      child.send(flood);
      const [outcome] = await once(child, "message");
      return outcome as FloodOutcome;
    },
    end: () => child.disconnect(),
  };
}

async function fillShop(example: string, url: string): Promise<void> {
  const load = (file: string) => import(pathToFileURL(path.join(example, "dist", file)).href);
  const { seed } = await load("seed.js");
  const { createClient } = await load("database.js");
  const client = createClient(url);
  await seed(client, { isTTY: false, write: () => true });
  await client.$disconnect();
}

async function logIn(port: number): Promise<Response> {
  const { seedPassword } = await loadSeed();
  return fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ username: "ben", password: seedPassword }),
  });
}

/** What visitors of the shop ask for: a list, a product, reviews with their products, and a customer's own orders. */
async function shopRequests({ ready }: Child): Promise<string[]> {
  const { accessToken } = (await (await logIn(ready)).json()) as { accessToken: string };
  const text = (target: string, ...headers: string[]): string =>
    `${[`GET ${target} HTTP/1.1`, "Host: shop", "Accept: application/json", ...headers].join("\r\n")}\r\n\r\n`;
  return Array.from({ length: 20 }, (_, at) => [
    text(`/api/products?status=ACTIVE&price[gte]=${10 + at}.50&sort=-price&limit=20&page=${1 + (at % 4)}`),
    text(`/api/products/${1 + at}`),
    text(`/api/reviews?include=product&limit=20&page=${1 + (at % 4)}`),
    text(`/api/orders?limit=20&sort=-id&page=${1 + (at % 4)}`, `Authorization: Bearer ${accessToken}`),
  ]).flat();
}

/** Asks for readiness and signs in, again and again, until it is told to end. */
function askBeside(port: number): () => Promise<Beside> {
  let isOver = false;
  const slowest = async (ask: () => Promise<Response>): Promise<number> => {
    let most = 0;
    while (!isOver) {
      const began = performance.now();
      const status = await ask().then(
        async (response) => (await response.arrayBuffer()) && response.status,
        () => 0,
      );
      most = Math.max(most, status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY);
      await wait(500);
    }
    return most;
  };
  const both = Promise.all([
    slowest(() => fetch(`http://127.0.0.1:${port}/api/health/ready`)),
    slowest(() => logIn(port)),
  ]);
  return async () => {
    isOver = true;
    const [probe, login] = await both;
    return { probe, login };
  };
}

const median = (points: readonly Point[], of: (point: Point) => number): number => toEstimate(points.map(of)).median;

const toCurvePoint = (load: number, points: readonly Point[]) => ({
  load,
  goodput: median(points, ({ goodputOfCpu }) => goodputOfCpu),
  p99: median(points, ({ goodTimes }) => goodTimes.p99 ?? Number.NaN),
});

const show = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : "–");

function toBesideSection(besides: readonly (readonly Beside[])[]): Section {
  const worst = (side: number, of: (beside: Beside) => number): string =>
    show(Math.max(...(besides[side] ?? []).map(of)));
  return {
    title: "Probes and signing in beside it",
    text: "At five times what one process can bear: the slowest readiness probe and the slowest sign-in (bcrypt at cost 12) of those that were sent one after the other, in milliseconds (– where one failed).",
    headings: ["", "probe", "sign-in"],
    rows: names.map((name, side) => [name, worst(side, ({ probe }) => probe), worst(side, ({ login }) => login)]),
    rounds,
  };
}

function toSection(points: readonly (readonly Point[][])[]): Section {
  const percent = (part: number): string => `${(part * 100).toFixed(0)} %`;
  const rows = factors.flatMap((factor, at) =>
    names.map((name, side) => {
      const seen = points[at]?.[side] ?? [];
      return [
        `${factor} ×, ${name}`,
        percent(median(seen, ({ goodput }) => goodput)),
        percent(median(seen, ({ goodputOfCpu }) => goodputOfCpu)),
        show(median(seen, ({ goodTimes }) => goodTimes.p50 ?? Number.NaN)),
        show(median(seen, ({ goodTimes }) => goodTimes.p99 ?? Number.NaN)),
        percent(median(seen, ({ refused, sent }) => refused / sent)),
        show(median(seen, ({ refusedTimes }) => refusedTimes.p50 ?? Number.NaN)),
        percent(median(seen, ({ lost, sent }) => lost / sent)),
      ];
    }),
  );
  return {
    title: "Overload",
    text: "The example at loads that one process can bear and cannot: goodput (answers of 200 a second, as a part of what it can bear; then the same for a second of the processor, which others on the machine do not change), milliseconds until half and 99 % of them had come, how many were refused (503) and after how many milliseconds, and how many clients went away after 3 s. Clients come as they come, from a process of their own on the same two cores as PostgreSQL and the service. Medians of the rounds.",
    headings: ["load", "goodput", "of CPU", "p50", "p99", "refused", "after", "went away"],
    rows,
    rounds,
  };
}
