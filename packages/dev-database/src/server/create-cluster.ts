import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import { StartupError } from "@servicekit/core";
import type { DataDirectory } from "./data-directory.js";
import type { PostgresBinaries } from "./postgres-binaries.js";

const remove = { recursive: true, force: true } as const;

/**
 * Creates an empty cluster (initdb) with the superuser `postgres`, no password, UTF-8, case folding for all of Unicode
 * and sorting by code point. It is atomic.
 */
export function createCluster({ path, cluster, account }: DataDirectory, binaries: PostgresBinaries): void {
  for (const name of fs.readdirSync(path)) {
    // The initdb of a killed start may still be writing, so the removal is retried for some seconds.
    if (name.startsWith("cluster.half-")) fs.rmSync(`${path}/${name}`, { ...remove, maxRetries: 10, retryDelay: 100 });
  }
  const half = `${cluster}.half-${randomUUID()}`;
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const args = ["-D", half, "-U", "postgres", "--auth=trust", ...locale, "--no-sync", "--no-instructions"];
  const { status, error, stderr } = spawnSync(binaries("initdb"), args, { ...account, cwd: "/", encoding: "utf8" });
  if (status !== 0) {
    fs.rmSync(half, remove);
    throw new StartupError([{ where: path, message: `initdb failed: ${error?.message ?? stderr.trim()}` }]);
  }
  fs.renameSync(half, cluster);
}
