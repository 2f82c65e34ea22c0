import path from "node:path";
import type { Plugin } from "vite";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import base from "../../vitest.config.js";
import { applyMutant, applyProbes } from "./find-mutants.js";
import type { MutationRun } from "./mutate-package.js";

const run: MutationRun = JSON.parse(process.env.SERVICEKIT_MUTATION_RUN ?? "{}");

const mutated = new Set([run.mutant, ...(run.probes ?? [])].flatMap((mutant) => mutant?.file ?? []));
const isMutated = (id: string): boolean => mutated.has(id.split("?")[0] ?? "");

/** Changes the mutated files while they are loaded. The files on disk stay as they are. */
const mutate: Plugin = {
  name: "mutate",
  enforce: "pre",
  configureVitest({ experimental_defineCacheKeyGenerator: defineCacheKey }) {
    // Other files are the same in every run.
    defineCacheKey(({ id }) => (isMutated(id) ? false : undefined));
  },
  transform(code, id) {
    // The global setup runs the sources of dev-database, and is no test.
    if (this.environment.name === "__vitest__" || !isMutated(id)) return null;
    if (run.mutant !== undefined) return applyMutant(run.mutant, code);
    const probes = (run.probes ?? []).map((mutant, index) => ({ ...mutant, index }));
    return applyProbes(
      probes.filter(({ file }) => file === id.split("?")[0]),
      code,
    );
  },
};

/** Runs the test file named after the mutated file first, then unit tests, then small files. */
class NearestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const stem = path.basename(run.mutant?.file ?? "", ".ts");
    const rank = ({ moduleId, project }: TestSpecification): number =>
      path.basename(moduleId).startsWith(`${stem}.`) ? 0 : project.name === "unit" ? 1 : 2;
    return files.sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    ...base.test,
    root: path.join(import.meta.dirname, "../.."),
    cache: false,
    // One process loads the packages once.
    maxWorkers: 1,
    sequence: { sequencer: NearestFirst },
    projects: (base.test?.projects ?? []).map((project): TestProjectInlineConfiguration => {
      const inline = project as TestProjectInlineConfiguration;
      return {
        ...inline,
        plugins: [mutate],
        test: {
          ...inline.test,
          setupFiles: run.probes === undefined ? [] : [path.join(import.meta.dirname, "record-reached.ts")],
          testTimeout: 30_000,
          expect: { poll: { timeout: 20_000 } },
        },
      };
    }),
  },
});
