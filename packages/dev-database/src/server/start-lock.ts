import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { StartError } from "@servicekit/core";
import { formatRecord, isRunning, type ProcessRecord, readRecord } from "./process-record.js";

/** How long another start on the same directory may take, in milliseconds. */
const patience = 60_000;
/** A lock file without a readable record is one being written, or, at this age in milliseconds, a damaged one. */
const writingTime = 2_000;

/** Does `work` while no other process does the same on this lock file; the lock of a dead process is taken over. */
export async function withStartLock<T>(file: string, self: ProcessRecord, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patience;
  while (!take(file, self)) {
    removeStale(file);
    if (Date.now() > deadline) {
      const holder = readRecord(file);
      throw new StartError([
        { where: file, message: `Process ${holder?.pid ?? "?"} has been starting the database here for a minute.` },
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
  // Of several that find the lock stale only one can rename it; what it then holds may still be a newer lock.
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    const taken = readRecord(aside);
    if (taken !== undefined && taken.mark !== seen?.mark) fs.linkSync(aside, file);
  } catch {
    // Someone else was quicker.
  }
  fs.rmSync(aside, { force: true });
}

function isOlderThan(file: string, age: number): boolean {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > age;
}
