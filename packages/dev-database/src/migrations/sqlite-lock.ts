import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { sqliteFile } from "../databases/is-sqlite-url.js";

/** Milliseconds between attempts. */
const pause = 50;

/**
 * Runs the work while no other process of this machine migrates the same file, and waits without a limit. The lock is a
 * file with the id of its process; that of a process that ended is removed.
 *
 * @param onWait called if another process has the lock
 */
export async function withSqliteLock<T>(url: string, work: () => Promise<T>, onWait?: () => void): Promise<T> {
  const lock = `${sqliteFile(url)}.migrating`;
  for (let attempt = 0; !take(lock); attempt++) {
    if (attempt === 0) onWait?.();
    await sleep(pause);
  }
  try {
    return await work();
  } finally {
    fs.rmSync(lock, { force: true });
  }
}

function take(lock: string): boolean {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!isHeld(lock)) fs.rmSync(lock, { force: true });
    return false;
  }
}

function isHeld(lock: string): boolean {
  try {
    const pid = Number(fs.readFileSync(lock, "utf8"));
    // Its process has created it, and not yet written its id.
    if (pid === 0) return true;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
