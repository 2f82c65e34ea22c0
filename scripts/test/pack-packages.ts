import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { findPnpm } from "./packed-packages.js";

const run = promisify(execFile);

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the slow tests of a run find every package as a tarball. */
    packedFolder: string;
  }
}

/** Packs every built package once for all slow tests of a run; the tarballs are deleted at the end. */
export default async function setup(project: TestProject): Promise<() => void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-packed-"));
  // The installing process may run as another user.
  fs.chmodSync(folder, 0o755);
  const pack = ["--recursive", "--filter", "./packages/*", "pack", "--pack-destination", folder];
  await run(findPnpm(), pack, { cwd: path.join(import.meta.dirname, "../..") });
  project.provide("packedFolder", folder);
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
