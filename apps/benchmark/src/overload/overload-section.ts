import { fork } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fillShop, withAccountsDatabase } from "../logins/with-accounts.js";
import { type Child, startChild, withChildren } from "../measure/child.js";
import { toEstimate } from "../measure/estimate.js";
import type { Section } from "../report.js";
import { drawCurves } from "./draw-curves.js";
import type { Flood, FloodOutcome, FloodRequest } from "./send-open-loop.js";
import { shares, shopRequests } from "./shop-requests.js";

const picture = path.join(import.meta.dirname, "..", "..", "..", "..", "docs", "guides", "overload.svg");

/** Multiples of the capacity of one process. */
const factors = [1, 2, 3, 5, 8] as const;
const sides = ["overload: no shedding", "overload: shedding"] as const;
/** The requests to each target: the light ones show the cost of rejections, so they are sent only to the target that rejects. */
const runs = [
  { name: "no shedding", side: 0, requests: "mix" },
  { name: "shedding", side: 1, requests: "mix" },
  { name: "shedding, light requests", side: 1, requests: "light" },
] as const;
const rounds = 3;
/** Milliseconds after which a client disconnects. */
const patience = 3_000;

/** The result of one target at one load. */
interface Point extends FloodOutcome {
  /** Successful responses per second, as a fraction of the capacity. */
  readonly goodput: number;
  /** The same per second of CPU time: other programs on the machine do not count. */
  readonly goodputOfCpu: number;
  /** CPU seconds of the service, and of the clients. */
  readonly used: { readonly service: number; readonly clients: number };
}

/** The capacity of one process: successful responses per second, and per microsecond of CPU time. */
interface Best {
  readonly perSecond: number;
  readonly perCpu: number;
}

/**
 * The example with all its defaults, including log and accounts, below and above its capacity, without and with load
 * shedding (contract C70). The clients send independently of responses (an open loop), from a separate process.
 * Writes the chart of `docs/guides/operation.md`.
 */
export async function overloadSections(): Promise<Section[]> {
  const points = factors.map(() => runs.map((): Point[] => []));
  await withAccountsDatabase(async ({ url, environment, example }) => {
    await fillShop(url);
    const starts = sides.map((side) => startChild("serve.js", [side, example], environment));
    await withChildren(starts, async (children) => {
      const clients = await startClients();
      const measure = async (child: Child, flood: Omit<Flood, "port" | "patience">): Promise<Seen> => {
        const sent = clients.send({ ...flood, port: child.ready, patience });
        await wait(flood.warmUp * 1_000);
        const before = await child.query("cpu");
        await wait((flood.seconds - flood.warmUp) * 1_000);
        const service = (await child.query("cpu")) - before;
        return { outcome: await sent, service };
      };
      for (let round = 0; round < rounds; round++) {
        // Tokens expire after 15 minutes.
        const requests = await shopRequests((children[0] as Child).ready);
        // Compilation is not measured.
        if (round === 0)
          for (const child of children)
            for (const of of ["mix", "light"] as const)
              await measure(child, { ...asFastAsPossible, requests: requests[of], login: requests.login });
        for (const [at, factor] of factors.entries()) {
          const turns = [...runs.entries()];
          for (const [run, { side, requests: of }] of round % 2 === 0 ? turns : turns.reverse()) {
            const requested = { requests: requests[of], login: requests.login };
            const bear = async (): Promise<Best> =>
              toBest(await measure(children[1] as Child, { ...asFastAsPossible, ...requested }));
            // The speed of the machine varies: the capacity is measured immediately before and after the compared load.
            const before = await bear();
            // Ten seconds, because a busy process accepts about 500 connections per second.
            const load = { rate: before.perSecond * factor, connections: 4_000, seconds: 16, warmUp: 10 };
            const seen = await measure(children[side] as Child, { ...load, ...requested });
            await wait(1_000);
            points[at]?.[run]?.push(toPoint(seen, between(before, await bear())));
          }
        }
      }
      clients.end();
    });
  });
  const curves = runs.map(({ name }, run) => ({
    name,
    points: factors.map((factor, at) => toCurvePoint(factor, points[at]?.[run] ?? [])),
  }));
  fs.writeFileSync(picture, drawCurves(curves, patience));
  return [toSection(points), toVitalSection(points), toProcessorSection(points)];
}

/** 32 clients, each with one request after another. */
const asFastAsPossible = { rate: 10_000, connections: 32, seconds: 5, warmUp: 1 };

const between = (one: Best, other: Best): Best => ({
  perSecond: (one.perSecond + other.perSecond) / 2,
  perCpu: (one.perCpu + other.perCpu) / 2,
});

interface Seen {
  readonly outcome: FloodOutcome;
  readonly service: number;
}

function toPoint({ outcome, service }: Seen, best: Best): Point {
  return {
    ...outcome,
    goodput: outcome.good / outcome.seconds / best.perSecond,
    goodputOfCpu: outcome.good / service / best.perCpu,
    used: { service: service / 1e6, clients: outcome.cpu / 1e6 },
  };
}

const toBest = ({ outcome, service }: Seen): Best => ({
  perSecond: outcome.good / outcome.seconds,
  perCpu: outcome.good / service,
});

/** The process that sends the requests. */
async function startClients() {
  const child = fork(path.join(import.meta.dirname, "..", "processes", "flood.js"));
  await once(child, "message");
  return {
    send: async (flood: Flood & { readonly requests: readonly FloodRequest[] }): Promise<FloodOutcome> => {
      child.send(flood);
      const [outcome] = await once(child, "message");
      return outcome as FloodOutcome;
    },
    end: () => child.disconnect(),
  };
}

const median = (points: readonly Point[], of: (point: Point) => number): number => toEstimate(points.map(of)).median;

const toCurvePoint = (load: number, points: readonly Point[]) => ({
  load,
  goodput: median(points, ({ goodputOfCpu }) => goodputOfCpu),
  p99: median(points, ({ goodTimes }) => goodTimes.p99 ?? Number.NaN),
});

const show = (value: number): string => (Number.isFinite(value) ? value.toFixed(value < 10 ? 1 : 0) : "–");
const percent = (part: number): string => (Number.isFinite(part) ? `${(part * 100).toFixed(0)} %` : "–");

type Points = readonly (readonly Point[][])[];

/** A row for each load and each run. */
const rowsOf = (points: Points, isShown: (run: number) => boolean, cells: (seen: readonly Point[]) => string[]) =>
  factors.flatMap((factor, at) =>
    runs.flatMap(({ name }, run) =>
      isShown(run) ? [[`${factor} ×, ${name}`, ...cells(points[at]?.[run] ?? [])]] : [],
    ),
  );

function toSection(points: Points): Section {
  const mix = Object.entries(shares).map(([name, count]) => `${count / 10} % ${name}`);
  return {
    title: "Overload",
    text: `The example with all defaults, log and accounts, at 1 to 8 times its capacity, measured immediately before and after. The mix: ${mix.join(", ")}; “light” is lists, products, reviews and orders only. Goodput is successful responses per second relative to capacity; “per CPU” is the same per second of CPU time, which other programs on the machine do not change. p50 and p99 are the response times of successful requests in ms, then the share of 503 responses with their p50 and p99, and the share of clients that timed out after 3 s. The load is an open loop: clients do not wait for responses. It lasts 16 s, and the last 6 s are measured. The clients run in another process on the same two cores as PostgreSQL and the service. Medians of the rounds.`,
    headings: ["load", "goodput", "per CPU", "p50", "p99", "503", "503 p50", "503 p99", "timed out"],
    rows: rowsOf(
      points,
      () => true,
      (seen) => [
        percent(median(seen, ({ goodput }) => goodput)),
        percent(median(seen, ({ goodputOfCpu }) => goodputOfCpu)),
        show(median(seen, ({ goodTimes }) => goodTimes.p50 ?? Number.NaN)),
        show(median(seen, ({ goodTimes }) => goodTimes.p99 ?? Number.NaN)),
        percent(median(seen, ({ rejected, sent }) => rejected / sent)),
        show(median(seen, ({ rejectionTimes }) => rejectionTimes.p50 ?? Number.NaN)),
        show(median(seen, ({ rejectionTimes }) => rejectionTimes.p99 ?? Number.NaN)),
        percent(median(seen, ({ lost, sent }) => lost / sent)),
      ],
    ),
    rounds,
  };
}

function toVitalSection(points: Points): Section {
  const cells = (seen: readonly Point[], of: "probe" | "login"): string[] => {
    const sum = (what: "sent" | "good"): number => seen.reduce((all, { vital }) => all + vital[of][what], 0);
    return [percent(sum("good") / sum("sent")), show(Math.max(...seen.map(({ vital }) => vital[of].slowest)))];
  };
  return {
    title: "Overload: probes and logins",
    text: "The share of successful readiness probes and of logins (one every two seconds, bcrypt at cost 12), and the slowest of them in ms.",
    headings: ["load", "probes", "slowest", "logins", "slowest"],
    rows: rowsOf(
      points,
      (run) => runs[run]?.requests === "mix",
      (seen) => [...cells(seen, "probe"), ...cells(seen, "login")],
    ),
    rounds,
  };
}

function toProcessorSection(points: Points): Section {
  return {
    title: "Overload: CPU time",
    text: "Seconds of CPU time of the service and of the clients during 6 s on two cores; PostgreSQL and other programs use the rest.",
    headings: ["load", "service", "clients"],
    rows: rowsOf(
      points,
      (run) => run > 0,
      (seen) => [show(median(seen, ({ used }) => used.service)), show(median(seen, ({ used }) => used.clients))],
    ),
    rounds,
  };
}
