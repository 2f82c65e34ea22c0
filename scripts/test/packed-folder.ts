import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the proofs of a run find the packages that one of them has packed. */
    packedFolder: string;
  }
}

/** Makes the folder of the packed packages, and removes it when the run is over. */
export default function setup(project: TestProject): () => void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-packed-"));
  // Whoever installs from it may be another user.
  fs.chmodSync(folder, 0o755);
  project.provide("packedFolder", folder);
  return () => fs.rmSync(folder, { recursive: true, force: true });
}
