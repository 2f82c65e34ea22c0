import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { type Draw, makeDraw } from "../../../../scripts/test/random-draw.js";

/** The seed of a run, and the number of the only case that runs: `TEST_SEED=<seed>` or `TEST_SEED=<seed>/<case>`. */
const [seed = "", only] = (process.env.TEST_SEED ?? currentCommit()).split("/");

export { seed };

/** The hash of the commit, so that each commit draws other cases, and every run of it the same ones. */
function currentCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).slice(
      0,
      12,
    );
  } catch {
    return "servicekit";
  }
}

/** The numbers of the cases that run. */
export const caseNumbers = (count: number): readonly number[] =>
  only === undefined ? Array.from({ length: count }, (_, number) => number) : [Number(only)];

/** The source of the decisions of one case. */
export const drawOf = (invariant: string, number: number): Draw =>
  makeDraw(createHash("sha256").update(`${seed} ${invariant} ${number}`).digest().readUInt32LE());
