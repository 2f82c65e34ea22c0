import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Tests run against the sources, so they need no build.
// Node itself knows no condition "module": packages that have it expect a bundler.
const conditions = ["servicekit-source", ...defaultServerConditions.filter((name) => name !== "module")];
const resolve = { conditions };
const ssr = { resolve: { conditions, externalConditions: ["servicekit-source", "node"] } };
// Said here because a test file outside its package's tsconfig gets no decorator settings from it.
const oxc = { decorator: { legacy: true, emitDecoratorMetadata: true } };

export default defineConfig({
  test: {
    reporters: ["default", "./scripts/test/count-reporter.ts"],
    projects: [
      {
        resolve,
        ssr,
        oxc,
        test: {
          name: "unit",
          include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: ["**/*.db.test.ts", "**/node_modules/**"],
        },
      },
      {
        resolve,
        ssr,
        oxc,
        test: {
          name: "database",
          include: ["{packages/*/test,scripts}/**/*.db.test.ts", "apps/*/test/**/*.test.ts"],
          globalSetup: ["scripts/test/database.ts"],
          testTimeout: 30_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
