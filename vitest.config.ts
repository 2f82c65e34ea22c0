import os from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { undrawnFiles } from "./scripts/test/drawn-files.js";
import LongFirst from "./scripts/test/long-first.js";

// Tests run against the sources, so they need no build.
// Vite's own condition "module" is missing: Node does not have it, and packages that use it expect a bundler.
const conditions = ["servicekit-source", "node", "development|production"];
const shared = {
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["servicekit-source", "node"] } },
  // The environment of global setups: without this they would need built packages.
  environments: { __vitest__: { resolve: { conditions } } },
  // Set here because a test file outside its package's tsconfig gets no decorator settings from it.
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: true } },
};

// The word before `.test.ts` selects the project of a file; CONTRIBUTING.md explains when to use which.
const folders = "{packages/*/{src,test},apps/*/test,scripts}/**";
const needsDatabase = ["{packages/*/test,scripts}/**/*.db.test.ts", "apps/*/test/**/*.test.ts"];
const inBothModes = "apps/example/test/**/*.modes.test.ts";
const onItsOwn = ["isolated", "clock", "slow"].map((kind) => `**/*.${kind}.test.ts`);
const undrawn = undrawnFiles();
const withDatabase = { globalSetup: ["scripts/test/database.ts"] };

/** Optimizing the query compilers of Prisma (WebAssembly) takes longer than the few queries of each test. */
const fewQueries = { execArgv: ["--liftoff-only"] };

const project = (name: string, test: TestProjectInlineConfiguration["test"]): TestProjectInlineConfiguration => ({
  ...shared,
  test: {
    name,
    // Only for tests that hang: a busy machine never reaches them.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { interval: 5, timeout: 120_000 } },
    ...test,
  },
});

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/test/count-reporter.ts"],
    // A worker waits for the database, and for time, about half of its time.
    maxWorkers: os.availableParallelism() + 1,
    sequence: { sequencer: LongFirst },
    // Transformed files stay in node_modules/.experimental-vitest-cache; `vitest --clearCache` deletes them. Writing them takes
    // longer than one run saves, so scripts/dev.mjs enables it only for parts of the tests, which are run again and again.
    experimental: { fsModuleCache: process.env.STORE_TRANSFORMED_TESTS === "1" },
    projects: [
      project("unit", {
        include: [`${folders}/*.test.ts`],
        exclude: ["**/node_modules/**", ...needsDatabase, ...onItsOwn],
        isolate: false,
        ...fewQueries,
        globalSetup: ["scripts/test/fixtures.ts"],
      }),
      project("database", {
        include: needsDatabase,
        exclude: ["**/node_modules/**", ...onItsOwn],
        isolate: false,
        ...fewQueries,
        provide: { accounts: ["static"] },
        ...withDatabase,
      }),
      project("isolated", { include: [`${folders}/*.isolated.test.ts`], ...fewQueries, ...withDatabase }),
      project("slow", {
        include: [`${folders}/*.slow.test.ts`, inBothModes],
        exclude: ["**/node_modules/**", ...undrawn],
        // A slow test waits for programs, pages and time more than other tests.
        maxWorkers: os.availableParallelism() + 2,
        sequence: { groupOrder: 2 },
        ...fewQueries,
        provide: { accounts: ["dynamic"] },
        globalSetup: [...withDatabase.globalSetup, "scripts/test/drawn-files.ts", "scripts/test/pack-packages.ts"],
      }),
      // Measures time, so nothing runs concurrently. Other programs may disturb one measurement, and seldom three.
      project("clock", {
        include: [`${folders}/*.clock.test.ts`],
        exclude: ["**/node_modules/**", ...undrawn],
        ...withDatabase,
        fileParallelism: false,
        retry: 2,
        sequence: { groupOrder: 1 },
      }),
    ],
  },
});
