import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { commandOf, formatRecord, isRunning, readRecord, recordOf } from "./process-record.js";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-record-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe("a process record", () => {
  it("identifies this process, and not another one with its pid", () => {
    const self = recordOf(process.pid);
    if (self === undefined) throw new Error("no record");
    const file = path.join(folder, "self");
    fs.writeFileSync(file, formatRecord(self));
    expect(readRecord(file)).toEqual(self);
    expect(isRunning(self)).toBe(true);
    expect(isRunning({ ...self, mark: "another" })).toBe(false);
    expect(commandOf(process.pid)).toContain("node");
  });

  it("detects that the process has exited", async () => {
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
    const record = recordOf(child.pid ?? 0);
    if (record === undefined) throw new Error("no record");
    expect(isRunning(record)).toBe(true);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
    expect(isRunning(record)).toBe(false);
    expect(recordOf(record.pid)).toBeUndefined();
    expect(commandOf(record.pid)).toBe("");
  });

  it.each([["", "12", "12\n", "x\ny\n", "-1\ny\n", "1.5\ny\n", "0\ny\n", "\n\n"]].flat())(
    "is not parsed from %j",
    (text) => {
      const file = path.join(folder, "damaged");
      fs.writeFileSync(file, text);
      expect(readRecord(file)).toBeUndefined();
      expect(readRecord(path.join(folder, "missing"))).toBeUndefined();
    },
  );
});
