import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest in `.ci/run`, in this order. */
export const longFiles: readonly string[] = [
  // Waits for time to pass, with little work.
  "packages/service/test/operation-slow-clients.slow.test.ts",
  "scripts/publish.slow.test.ts",
  "packages/create-servicekit/test/from-nothing.slow.test.ts",
  "packages/create-servicekit/test/tutorial.slow.test.ts",
  "apps/docs/test/site.slow.test.ts",
  "packages/cli/test/commands.slow.test.ts",
  "scripts/check-deployment.slow.test.ts",
  "scripts/mutation/mutate-package.slow.test.ts",
  "apps/integration/test/invariants/invariants.slow.test.ts",
  "scripts/existing-project.slow.test.ts",
  "apps/example/test/pages.slow.test.ts",
  "scripts/start-from-clone.slow.test.ts",
  "apps/example/test/document.slow.test.ts",
  "apps/example/test/workers.slow.test.ts",
  "apps/example/test/studio/data.slow.test.ts",
  "apps/example/test/studio/pages.slow.test.ts",
  "apps/example/test/document-tools.slow.test.ts",
  "apps/example/test/document-accepts.slow.test.ts",
  "packages/model-router/test/unusual-values.slow.test.ts",
  "scripts/check-patterns.slow.test.ts",
  "apps/example/test/behind-one-url.slow.test.ts",
  "apps/example/test/rolling-restart.slow.test.ts",
  "apps/example/test/ended-sessions.slow.test.ts",
  "packages/jobs/test/kill.slow.test.ts",
  "packages/service/test/stall.slow.test.ts",
  "packages/cli/test/bundle.slow.test.ts",
  "scripts/service-init.slow.test.ts",
  "apps/example/test/hardening/fuzz.slow.test.ts",
  "apps/example/test/accounts/access-matrix.slow.test.ts",
  "scripts/words/check-spelling.test.ts",
  "scripts/check-types.isolated.test.ts",
  "apps/integration/test/events/events.db.test.ts",
];

/**
 * Begins with the long files, so that the workers end at about the same time. Vitest alone begins with the largest files
 * where it has no times of an earlier run.
 */
export default class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longFiles.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank === -1 ? longFiles.length : rank;
    };
    return sorted.sort((a, b) => rankOf(a) - rankOf(b));
  }
}
