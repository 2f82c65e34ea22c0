import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import { formatRecord, isRunning, type ProcessRecord, readRecord, recordOf } from "./process-record.js";

/** The maximum duration of the work of another process, in milliseconds. */
const patience = 60_000;
/** A lock file without a readable record is being written or, at this age in milliseconds, damaged. */
const writingTime = 2_000;

/**
 * Runs `work` under the lock of a file, so that the work of several processes runs one by one. The lock of an exited process is
 * taken over.
 *
 * @param activity what `work` does, such as "changing the migrations", for the message of the error
 * @throws {StartupError} if another process has the lock for one minute
 */
export async function withLockFile<T>(file: string, activity: string, work: () => Promise<T>): Promise<T> {
  const self = recordOf(process.pid) ?? { pid: process.pid, mark: "unknown" };
  const deadline = Date.now() + patience;
  while (!take(file, self)) {
    removeStale(file);
    if (Date.now() > deadline) {
      const holder = readRecord(file);
      throw new StartupError([
        { where: file, message: `Process ${holder?.pid ?? "?"} has been ${activity} for one minute.` },
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
