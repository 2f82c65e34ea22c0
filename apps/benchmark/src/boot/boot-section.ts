import fs from "node:fs";
import path from "node:path";
import { startChild } from "../measure/child.js";
import { type Estimate, toEstimate } from "../measure/estimate.js";
import { type Section, showRatio } from "../report.js";

const sides = ["service", "by hand"] as const;
type Side = (typeof sides)[number];

/** Milliseconds of one start: on the clock, and of CPU time in all threads. */
interface Start {
  readonly clock: number;
  readonly cpu: number;
}

const rounds = 31;

/** Nothing connects before the first query. */
const environment = { DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none" };

/** From the start of a process until it listens: the example beside an Express application with its Prisma client. */
export async function bootSections(): Promise<Section[]> {
  const shop = path.join(import.meta.dirname, "..", "..", "..", "example", "dist");
  if (!fs.existsSync(path.join(shop, "app.js"))) throw new Error("The example is not built: npm run build");
  const starts: Record<Side, Start[]> = { service: [], "by hand": [] };
  for (let round = -1; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const start = await boot(side, shop);
      // The first of each side finds its files on the disk for the others.
      if (round >= 0) starts[side].push(start);
    }
  }
  const estimate = (side: Side, what: keyof Start): Estimate => toEstimate(starts[side].map((start) => start[what]));
  const ratio = (what: keyof Start): Estimate =>
    toEstimate(starts.service.map((start, round) => start[what] / (starts["by hand"][round]?.[what] ?? Number.NaN)));
  const row = (title: string, what: keyof Start): readonly string[] => [
    title,
    ...sides.map((side) => estimate(side, what).median.toFixed(0)),
    showRatio(ratio(what)),
  ];
  return [
    {
      title: "Starting",
      text: "From the start of a process until it listens, in milliseconds: the example with its 15 models, all their routes and all global middlewares, beside an Express application with `express.json`, one route and the same Prisma client. Both are compiled JavaScript, each start is a process of its own, the sides take turns. No database is asked: neither side needs it to listen.",
      headings: ["", "service", "by hand", "÷ by hand"],
      rows: [row("on the clock", "clock"), row("CPU time", "cpu")],
      rounds,
    },
  ];
}

async function boot(side: Side, shop: string): Promise<Start> {
  const began = performance.now();
  const child = await startChild("boot.js", [side, shop], environment);
  const clock = performance.now() - began;
  await child.end();
  return { clock, cpu: child.ready / 1000 };
}
