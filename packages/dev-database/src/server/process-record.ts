import { spawnSync } from "node:child_process";
import fs from "node:fs";

/** A process in a file: the pid alone can be reused, the marker cannot. */
export interface ProcessRecord {
  readonly pid: number;
  readonly mark: string;
}

/** The record of the running process `pid`, or `undefined` if it does not run (a zombie does not). */
export function recordOf(pid: number): ProcessRecord | undefined {
  const mark = fs.existsSync("/proc/self/stat") ? markFromProc(pid) : markFromPs(pid);
  return mark === undefined ? undefined : { pid, mark };
}

/** Parses a record of {@link formatRecord}; `undefined` for a missing, empty or damaged file. */
export function readRecord(file: string): ProcessRecord | undefined {
  const [first = "", mark = ""] = readIfThere(file).split("\n");
  const pid = Number(first);
  return Number.isSafeInteger(pid) && pid > 0 && mark !== "" ? { pid, mark } : undefined;
}

export function formatRecord({ pid, mark }: ProcessRecord): string {
  return `${pid}\n${mark}\n`;
}

/** Whether the process of the record runs, and not another one with its pid. */
export function isRunning(record: ProcessRecord): boolean {
  return recordOf(record.pid)?.mark === record.mark;
}

/** The command line of a running process; empty for a zombie or when no such process runs. */
export function commandOf(pid: number): string {
  if (fs.existsSync("/proc/self/cmdline")) return readIfThere(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
  return spawnSync("ps", ["-ww", "-o", "command=", "-p", String(pid)], { encoding: "utf8" }).stdout ?? "";
}

function markFromProc(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The second field is the name in parentheses and may contain anything, so the fields are counted after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  const startedAt = fields[19];
  if (startedAt === undefined || "ZX".includes(state)) return undefined;
  return `${readIfThere("/proc/sys/kernel/random/boot_id").trim()} ${startedAt}`;
}

function markFromPs(pid: number): string | undefined {
  const env = { ...process.env, LC_ALL: "C" };
  const { stdout } = spawnSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8", env });
  const [state = "", ...startedAt] = (stdout ?? "").trim().split(/\s+/);
  return startedAt.length === 0 || state.startsWith("Z") ? undefined : startedAt.join(" ");
}

function readIfThere(file: string): string {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
