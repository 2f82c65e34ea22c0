import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { startChild } from "../measure/child.js";
import { type Estimate, toEstimate } from "../measure/estimate.js";
import { type Section, showRatio } from "../report.js";
import { bundleBoot } from "./bundle-boot.js";

const sides = [
  "by hand",
  "by hand, its compiled code kept",
  "service",
  "service, its compiled code kept",
  "service, bundled",
  "service, bundled, its compiled code kept",
] as const;
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
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-boot-"));
  const bundle = await bundleBoot(shop);
  const starts = Object.fromEntries(sides.map((side) => [side, []])) as unknown as Readonly<Record<Side, Start[]>>;
  try {
    for (let round = -1; round < rounds; round++) {
      for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
        // A bundle keeps it by itself.
        const kept = side.includes("kept") ? { NODE_COMPILE_CACHE: folder } : { NODE_DISABLE_COMPILE_CACHE: "1" };
        const start = await (side.includes("bundled")
          ? boot(bundle.program, [], kept)
          : boot("boot.js", [side.replace(/,.*/, ""), shop], kept));
        // The first of each side finds its files on the disk for the others, and compiles for those that keep it.
        if (round >= 0) starts[side].push(start);
      }
    }
  } finally {
    bundle.end();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return [toSection(starts)];
}

function toSection(starts: Readonly<Record<Side, readonly Start[]>>): Section {
  const estimate = (side: Side, what: keyof Start): Estimate => toEstimate(starts[side].map((start) => start[what]));
  const ratio = (side: Side, what: keyof Start): Estimate =>
    toEstimate(starts[side].map((start, round) => start[what] / (starts["by hand"][round]?.[what] ?? Number.NaN)));
  const cells = (side: Side, what: keyof Start): readonly string[] => [
    estimate(side, what).median.toFixed(0),
    side === "by hand" ? "" : showRatio(ratio(side, what)),
  ];
  return {
    title: "Starting",
    text: "From the start of a process until it listens, in milliseconds: the example with its 15 models, all their routes and all global middlewares, beside an Express application with `express.json`, one route and the same Prisma client; and both with the code that V8 compiled kept from one start to the next (`NODE_COMPILE_CACHE`, from Node 22.1 on); the example also as `service build --bundle` makes it, which keeps that code by itself. All are compiled JavaScript, each start is a process of its own, the sides take turns. No database is asked: no side needs it to listen.",
    headings: ["", "on the clock", "÷ by hand", "CPU time", "÷ by hand"],
    rows: sides.map((side) => [side, ...cells(side, "clock"), ...cells(side, "cpu")]),
    rounds,
  };
}

async function boot(program: string, args: readonly string[], more: Readonly<Record<string, string>>): Promise<Start> {
  const began = performance.now();
  const child = await startChild(program, args, { ...environment, ...more });
  const clock = performance.now() - began;
  await child.end();
  return { clock, cpu: child.ready / 1000 };
}
