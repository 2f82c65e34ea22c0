import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { withLockFile } from "./lock-file.js";
import { formatRecord, type ProcessRecord, recordOf } from "./process-record.js";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-lock-"));
const file = path.join(folder, "start.lock");

beforeEach(() => fs.rmSync(file, { force: true }));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe("withLockFile", () => {
  it("admits one at a time", async () => {
    let inside = 0;
    let max = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      max = Math.max(max, inside);
      await setImmediate();
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 10 }, () => withLockFile(file, "working", work)));
    expect(max).toBe(1);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it("is released when the work fails", async () => {
    await expect(withLockFile(file, "working", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  it("reports that another process has the lock, and rejects after the maximum wait", async () => {
    fs.writeFileSync(file, formatRecord(recordOf(process.pid) as ProcessRecord));
    let waits = 0;
    const options = { onWait: () => waits++, patienceMs: 40 };
    await expect(withLockFile(file, "working", async () => 1, options)).rejects.toThrow(
      `Process ${process.pid} has been working for 0.04 seconds.`,
    );
    expect(waits).toBe(1);
  });

  it("does not report a wait for a process that exited", async () => {
    fs.writeFileSync(file, formatRecord({ pid: process.pid, mark: "an older process" }));
    let waits = 0;
    await withLockFile(file, "working", async () => 1, { onWait: () => waits++ });
    expect(waits).toBe(0);
  });

  it.each([
    ["of a dead process", formatRecord({ pid: process.pid, mark: "an older process" }), 0],
    ["that is damaged and old", "12", 10_000],
  ])("takes over a lock %s, and concurrent attempts still run one by one", async (_, text, age) => {
    fs.writeFileSync(file, text);
    const then = (Date.now() - age) / 1000;
    fs.utimesSync(file, then, then);
    let inside = 0;
    const work = async (): Promise<number> => {
      inside += 1;
      await setImmediate();
      inside -= 1;
      return inside;
    };
    expect(await Promise.all([1, 2, 3].map(() => withLockFile(file, "working", work)))).toEqual([0, 0, 0]);
    expect(fs.readdirSync(folder)).toEqual([]);
  });
});
