import type { Reporter, TestModule } from "vitest/node";

/** How many of the slowest files are listed. */
const slowestFiles = Number(process.env.SLOWEST_FILES ?? 0);

/**
 * Ends the run with the plain line `N passed, N failed` (and `, N skipped`). With `SLOWEST_FILES` the slowest files are
 * listed before it.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    // An error outside every test fails the run too.
    const counts = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) {
      // A file that cannot be loaded has no tests to fail.
      if (!module.ok() && module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") counts.passed++;
        else if (state === "failed") counts.failed++;
        else counts.skipped++;
      }
    }
    if (slowestFiles > 0) process.stdout.write(`\nSlowest files:\n${listSlowest(modules).join("\n")}\n`);
    const { passed, failed, skipped } = counts;
    process.stdout.write(`\n${passed} passed, ${failed} failed${skipped === 0 ? "" : `, ${skipped} skipped`}\n`);
  }
}

function listSlowest(modules: readonly TestModule[]): string[] {
  const files = modules.map((module) => {
    const { duration, collectDuration } = module.diagnostic();
    return { name: module.relativeModuleId, milliseconds: duration + collectDuration };
  });
  const slowest = files.sort((a, b) => b.milliseconds - a.milliseconds).slice(0, slowestFiles);
  return slowest.map(({ name, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${name}`);
}
