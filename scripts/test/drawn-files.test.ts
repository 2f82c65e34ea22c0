import fs from "node:fs";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

async function load(share: string | undefined) {
  vi.stubEnv("SLOW_SHARE", share);
  vi.resetModules();
  return import("./drawn-files.js");
}

describe("the groups of slow files", () => {
  it("contain only files that exist, each once", async () => {
    const files = (await load(undefined)).groups.flat();
    const root = path.join(import.meta.dirname, "../..");
    expect(files.filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
  });

  it("are executed completely if all cases are", async () => {
    expect((await load(undefined)).undrawnFiles()).toEqual([]);
  });

  it("have one drawn file each in a run with a share of the cases, and each file is drawn in some run", async () => {
    const { groups, undrawnFiles } = await load("0.1");
    const drawn = new Set<string>();
    for (let run = 0; run < 500; run++) {
      const undrawn = undrawnFiles();
      for (const files of groups) {
        const left = files.filter((file) => !undrawn.includes(file));
        expect(left).toHaveLength(1);
        for (const file of left) drawn.add(file);
      }
    }
    expect([...drawn].sort()).toEqual(groups.flat().sort());
  });
});
