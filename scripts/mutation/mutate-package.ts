import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { drawMutants, findMutants, type Mutant, mutantName } from "./find-mutants.js";

const root = path.join(import.meta.dirname, "../..");

/** The expectations of a package, from `expectations.json`. */
interface Expectation {
  /** The least share of mutants that the tests notice. */
  readonly threshold: number;
  /** Mutants that change no behaviour, by name, each with the reason. They are not drawn. */
  readonly equivalent?: Readonly<Record<string, string>>;
}

export interface MutationOptions {
  /** @default 1 */
  readonly seed?: number;
  /** The number of mutants. @default 10 */
  readonly count?: number;
  /** Draws only from files whose path contains this text. */
  readonly only?: string;
  /** Receives each result as soon as it is available. */
  readonly report?: (line: string) => void;
}

export interface MutationResult {
  readonly noticed: number;
  readonly total: number;
  readonly survivors: readonly Mutant[];
}

/** What a run of the tests changes, for `vitest.config.ts`. */
export interface MutationRun {
  readonly mutant?: Mutant;
  /** Records which of these mutants each test file reaches, instead of changing anything. */
  readonly probes?: readonly Pick<Mutant, "file" | "start" | "end">[];
}

/** A line of the file that `record-reached.ts` writes. */
export interface ReachedMutants {
  /** The path of the test file; empty for mutants that are reached while modules are loaded. */
  readonly file: string;
  /** Indexes of `probes`. */
  readonly mutants: readonly number[];
}

/** The expectations of each package. */
export const expectations: Readonly<Record<string, Expectation>> = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, "expectations.json"), "utf8"),
);

/**
 * Runs the tests of a package without a mutant, then the test files that reach a mutant with this mutant, and counts the mutants that a
 * test notices. The mutants exist only in the memory of the test runs.
 *
 * @param name the folder of the package below `packages`
 * @throws Error when the tests fail without a mutant
 */
export async function mutatePackage(name: string, options: MutationOptions = {}): Promise<MutationResult> {
  const { seed = 1, count = 10, only = "", report = () => {} } = options;
  const equivalent = new Set(Object.keys(expectations[name]?.equivalent ?? {}));
  const mutants = sourcesOf(name)
    .filter((file) => file.includes(only))
    .flatMap((file) => findMutants(file, fs.readFileSync(file, "utf8")))
    .filter((mutant) => !equivalent.has(mutantName(mutant)));
  const drawn = drawMutants(mutants, seed, count);

  const started = Date.now();
  const testFiles = await findReachingTests(name, drawn);
  const limit = Math.max(60_000, 4 * (Date.now() - started));

  const survivors: Mutant[] = [];
  for (const [index, mutant] of drawn.entries()) {
    const files = testFiles[index] ?? [];
    const { failure } = files.length === 0 ? {} : await runTests(files, { mutant }, limit);
    if (failure === undefined) survivors.push(mutant);
    report(describe(mutant, failure, files));
  }
  const noticed = drawn.length - survivors.length;
  report(`${name}: ${noticed} of ${drawn.length} mutants noticed (seed ${seed}, ${mutants.length} possible)`);
  return { noticed, total: drawn.length, survivors };
}

/**
 * Runs the tests of a package without a mutant, and returns for each mutant the test files that evaluate its expression. For an
 * expression that is evaluated while a module is loaded these are all files of the package.
 */
async function findReachingTests(name: string, mutants: readonly Mutant[]): Promise<string[][]> {
  const everything = `packages/${name}/`;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "mutation-"));
  try {
    const list = path.join(folder, "reached");
    fs.writeFileSync(list, "");
    const probes = mutants.map(({ file, start, end }) => ({ file, start, end }));
    const { failure, output } = await runTests([everything], { probes }, 600_000, {
      SERVICEKIT_REACHED_MUTANTS: list,
    });
    if (failure !== undefined) throw new Error(`The tests of ${name} fail without a mutant: ${failure}\n${output}`);
    const reached = fs.readFileSync(list, "utf8").split("\n").slice(0, -1);
    const lines = reached.map((line): ReachedMutants => JSON.parse(line));
    return mutants.map((_, index) => {
      const files = lines.filter((line) => line.mutants.includes(index)).map(({ file }) => file);
      return files.includes("") ? [everything] : files.map((file) => path.relative(root, file));
    });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function describe(
  { file, line, before, after }: Mutant,
  failure: string | undefined,
  testFiles: readonly string[],
): string {
  const survived = testFiles.length === 0 ? "SURVIVED: no test reaches it" : "SURVIVED";
  const verdict = failure === undefined ? survived : `noticed by ${failure}`;
  return `${path.relative(root, file)}:${line} ${verdict}\n  - ${before}\n  + ${after}`;
}

/** The source files of a package, without tests and generated files. */
function sourcesOf(name: string): string[] {
  const folder = path.join(root, "packages", name, "src");
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.test\.ts$|\.d\.ts$|(^|[\\/])generated[\\/]/.test(file))
    .sort()
    .map((file) => path.join(folder, file));
}

/** Runs test files, or those of a folder, until the first failure, and names it. */
async function runTests(
  files: readonly string[],
  run: MutationRun,
  limit: number,
  environment: Readonly<Record<string, string>> = {},
): Promise<{ failure: string | undefined; output: string }> {
  const args = ["run", "--config=scripts/mutation/vitest.config.ts", "--bail=1", "--reporter=dot"];
  const projects = ["unit", "database", "isolated"].map((project) => `--project=${project}`);
  const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, ...args, ...projects, ...files], {
    cwd: root,
    env: { ...process.env, ...environment, NO_COLOR: "1", SERVICEKIT_MUTATION_RUN: JSON.stringify(run) },
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, so that the workers end with it.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const stop = (): boolean => process.kill(-(child.pid as number), "SIGKILL");
  const interrupt = (): never => {
    stop();
    process.exit(1);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, interrupt);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, limit);
  const code = await new Promise((resolve) => child.on("close", resolve));
  clearTimeout(timer);
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.off(signal, interrupt);
  if (code === 0) return { failure: undefined, output };
  const failed = /^ FAIL .*$/m.exec(output)?.[0].replace(/^ FAIL +\|\w+\| /, "");
  return { failure: timedOut ? "the time limit" : (failed ?? "an error outside the tests"), output };
}
