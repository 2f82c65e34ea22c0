import { spawnSync } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const root = path.join(import.meta.dirname, "..");

it("type-checks every source, test and type test", { timeout: 300_000 }, () => {
  const tsc = path.join(root, "node_modules", ".bin", "tsc");
  const { stdout, status } = spawnSync(tsc, ["--noEmit", "-p", "tsconfig.test.json"], { cwd: root, encoding: "utf8" });
  expect(stdout).toBe("");
  expect(status).toBe(0);
});
