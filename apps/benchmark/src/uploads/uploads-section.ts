import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Child, startChild } from "../measure/child.js";
import { type Estimate, toEstimate } from "../measure/estimate.js";
import { type Section, showRatio } from "../report.js";
import { sendFile } from "./send-file.js";

const targets = ["service", "multer"] as const;
type Target = (typeof targets)[number];

const megabyte = 1024 * 1024;

/** The usage of one process that received the files. */
interface Run {
  /** Megabytes per second, of all files together. */
  readonly speed: number;
  /** CPU microseconds per megabyte. */
  readonly cpu: number;
  /** The highest resident memory, in megabytes. */
  readonly peak: number;
  /** The same, minus the memory after a first, small file. */
  readonly added: number;
}

/** Throughput, CPU time and memory of uploads, compared with hand-written Express with multer. */
export async function uploadsSections(): Promise<Section[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "benchmark-uploads-"));
  try {
    const { bavail, bsize } = fs.statfsSync(folder);
    // Each target takes its files in turn, and a full disk would measure something else.
    const large = Math.min(1024, Math.floor((bavail * bsize) / megabyte / 16));
    return [
      section(
        "Uploads: one file of 500 MB",
        "One file in a form, stored on disk, received by a declared route with `experimental.uploads`, compared with Express and the disk storage of multer. The service also checks the first bytes of the file and the limits, and makes the file visible only when the whole form is valid. Each round runs in a new process; memory is the peak of that process.",
        await measure(folder, { size: 500 * megabyte, immediately: 1, rounds: 7 }),
        7,
      ),
      section(
        `Uploads: eight files of ${large} MB concurrently`,
        "The same with eight uploads at a time. “Added” is the memory beyond that after a first, small file.",
        await measure(folder, { size: large * megabyte, immediately: 8, rounds: 3 }),
        3,
      ),
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

interface Load {
  readonly size: number;
  readonly immediately: number;
  readonly rounds: number;
}

async function measure(folder: string, { size, immediately, rounds }: Load): Promise<Record<Target, Run[]>> {
  const runs: Record<Target, Run[]> = { service: [], multer: [] };
  for (let round = 0; round < rounds; round++) {
    for (const target of round % 2 === 0 ? targets : [...targets].reverse()) {
      const child = await startChild("serve.js", [`uploads by ${target}`, folder]);
      try {
        runs[target].push(await runOnce(child, size, immediately));
      } finally {
        await child.end();
      }
    }
  }
  return runs;
}

async function runOnce(child: Child, size: number, immediately: number): Promise<Run> {
  await sendFile(child.ready, 10_000);
  const [idle, used] = [await child.query("memory"), await child.query("cpu")];
  const began = performance.now();
  await Promise.all(Array.from({ length: immediately }, () => sendFile(child.ready, size)));
  const seconds = (performance.now() - began) / 1000;
  const megabytes = (size * immediately) / megabyte;
  const peak = await child.query("peak");
  return {
    speed: megabytes / seconds,
    cpu: ((await child.query("cpu")) - used) / megabytes,
    peak: peak / megabyte,
    added: (peak - idle) / megabyte,
  };
}

function section(title: string, text: string, runs: Record<Target, Run[]>, rounds: number): Section {
  const estimate = (target: Target, what: keyof Run): Estimate => toEstimate(runs[target].map((run) => run[what]));
  const ratio = (what: keyof Run): Estimate =>
    toEstimate(runs.service.map((run, round) => run[what] / (runs.multer[round]?.[what] ?? Number.NaN)));
  const row = (name: string, what: keyof Run): readonly string[] => [
    name,
    ...targets.map((target) => estimate(target, what).median.toFixed(0)),
    showRatio(ratio(what)),
  ];
  return {
    title,
    text,
    headings: ["", "service", "Express + multer", "÷ Express + multer"],
    rows: [
      row("MB per second", "speed"),
      row("CPU time, µs per MB", "cpu"),
      row("peak memory, MB", "peak"),
      row("added memory, MB", "added"),
    ],
    rounds,
  };
}
