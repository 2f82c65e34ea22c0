import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Child, startChild } from "../measure/child.js";
import { type Estimate, toEstimate } from "../measure/estimate.js";
import { type Section, showRatio } from "../report.js";
import { sendFile } from "./send-file.js";

const sides = ["service", "by hand"] as const;
type Side = (typeof sides)[number];

const megabyte = 1024 * 1024;

/** What one process showed while it took the files. */
interface Run {
  /** Megabytes a second, of all files together. */
  readonly speed: number;
  /** CPU microseconds for each megabyte. */
  readonly cpu: number;
  /** The highest resident memory, in megabytes. */
  readonly peak: number;
  /** That, without what the process had after its first, small file. */
  readonly added: number;
}

/** Uploads in a service, beside multer by hand: how fast, at what cost, and in how much memory. */
export async function uploadsSections(): Promise<Section[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "benchmark-uploads-"));
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    // Each side takes its files in turn, and a full disk would measure something else.
    const large = Math.min(1024, Math.floor((bavail * bsize) / megabyte / 16));
    return [
      section(
        "Uploads: one file of 500 MB",
        "One file in a form, stored on disk, by a declared route with `experimental.uploads`, beside Express with multer's disk storage. The service also looks at the first bytes of the file, counts, limits, and shows the file only when the whole form is right. Each round is a process of its own; the memory is the highest that the process had in it.",
        await measure(folder, { size: 500 * megabyte, atOnce: 1, rounds: 7 }),
        7,
      ),
      section(
        `Uploads: eight files of ${large} MB at once`,
        "The same, eight at a time. “Added” is what the process needed beyond the memory that it had after a first, small file.",
        await measure(folder, { size: large * megabyte, atOnce: 8, rounds: 3 }),
        3,
      ),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

interface Load {
  readonly size: number;
  readonly atOnce: number;
  readonly rounds: number;
}

async function measure(folder: string, { size, atOnce, rounds }: Load): Promise<Record<Side, Run[]>> {
  const runs: Record<Side, Run[]> = { service: [], "by hand": [] };
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
      const child = await startChild("serve.js", [`uploads by ${side === "service" ? "service" : "hand"}`, folder]);
      try {
        runs[side].push(await runOnce(child, size, atOnce));
      } finally {
        await child.end();
      }
    }
  }
  return runs;
}

async function runOnce(child: Child, size: number, atOnce: number): Promise<Run> {
  await sendFile(child.ready, 10_000);
  const [idle, used] = [await child.ask("memory"), await child.ask("cpu")];
  const began = performance.now();
  await Promise.all(Array.from({ length: atOnce }, () => sendFile(child.ready, size)));
  const seconds = (performance.now() - began) / 1000;
  const megabytes = (size * atOnce) / megabyte;
  const peak = await child.ask("peak");
  return {
    speed: megabytes / seconds,
    cpu: ((await child.ask("cpu")) - used) / megabytes,
    peak: peak / megabyte,
    added: (peak - idle) / megabyte,
  };
}

function section(title: string, text: string, runs: Record<Side, Run[]>, rounds: number): Section {
  const estimate = (side: Side, what: keyof Run): Estimate => toEstimate(runs[side].map((run) => run[what]));
  const ratio = (what: keyof Run): Estimate =>
    toEstimate(runs.service.map((run, round) => run[what] / (runs["by hand"][round]?.[what] ?? Number.NaN)));
  const row = (name: string, what: keyof Run): readonly string[] => [
    name,
    ...sides.map((side) => estimate(side, what).median.toFixed(0)),
    showRatio(ratio(what)),
  ];
  return {
    title,
    text,
    headings: ["", "service", "by hand", "÷ by hand"],
    rows: [
      row("MB a second", "speed"),
      row("CPU time, µs for each MB", "cpu"),
      row("highest memory, MB", "peak"),
      row("added memory, MB", "added"),
    ],
    rounds,
  };
}
