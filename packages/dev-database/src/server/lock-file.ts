import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import { formatRecord, isRunning, type ProcessRecord, readRecord, recordOf } from "./process-record.js";

/** A lock file without a readable record is being written or, at this age in milliseconds, damaged. */
const writingTime = 2_000;

/** Options of `withLockFile`. */
export interface LockFileOptions {
  /** Called once, if another process has the lock. */
  readonly onWait?: (() => void) | undefined;
  /** The maximum wait for the lock, in milliseconds. @default 60000 */
  readonly patienceMs?: number;
}

/**
 * Runs `work` under the lock of a file, so that the work of several processes runs one by one. The lock of an exited process is
 * taken over.
 *
 * @param activity what `work` does, such as "changing the migrations", for the message of the error
 * @throws {StartupError} if another process has the lock for longer than `patienceMs`
 */
export async function withLockFile<T>(
  file: string,
  activity: string,
  work: () => Promise<T>,
  { onWait, patienceMs = 60_000 }: LockFileOptions = {},
): Promise<T> {
  const self = recordOf(process.pid) ?? { pid: process.pid, mark: "unknown" };
  const deadline = Date.now() + patienceMs;
  let isWaiting = false;
  while (!take(file, self)) {
    removeStale(file);
    if (!isWaiting && fs.existsSync(file)) {
      isWaiting = true;
      onWait?.();
    }
    if (Date.now() > deadline) {
      const holder = readRecord(file);
      throw new StartupError([
        {
          where: file,
          message: `Process ${holder?.pid ?? "?"} has been ${activity} for ${patienceMs / 1000} seconds.`,
        },
      ]);
    }
    await delay(20);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function take(file: string, self: ProcessRecord): boolean {
  try {
    fs.writeFileSync(file, formatRecord(self), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function removeStale(file: string): void {
  const seen = readRecord(file);
  if (seen === undefined ? !isOlderThan(file, writingTime) : isRunning(seen)) return;
  // Of several that find a stale lock only one can rename it; the renamed file may still be a newer lock.
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    const taken = readRecord(aside);
    if (taken !== undefined && taken.mark !== seen?.mark) fs.linkSync(aside, file);
  } catch {
    // Another process was faster.
  }
  fs.rmSync(aside, { force: true });
}

function isOlderThan(file: string, age: number): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > age;
}
