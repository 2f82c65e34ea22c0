import fs from "node:fs";
import { afterAll, beforeAll, expect } from "vitest";
import type { ReachedMutants } from "./mutate-package.js";

declare global {
  /** The mutants whose expressions were evaluated. */
  var reachedMutants: Set<number> | undefined;
}

const reached = new Set<number>();
globalThis.reachedMutants = reached;

// Files share a process, where a module is evaluated for the first of them only.
beforeAll(() => record(""));
afterAll(() => record(expect.getState().testPath ?? ""));

function record(file: string): void {
  const line: ReachedMutants = { file, mutants: [...reached] };
  fs.appendFileSync(process.env.SERVICEKIT_REACHED_MUTANTS as string, `${JSON.stringify(line)}\n`);
  reached.clear();
}
