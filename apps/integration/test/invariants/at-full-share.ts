import { describe } from "vitest";
import { slowShare } from "../../../../scripts/test/slow-share.js";

/**
 * Describes tests of many drawn cases. A sampled run skips them: its seed differs with each commit, and a few differences that
 * cases have found are not judged yet. `npm test` runs some cases of each invariant.
 */
export function describeAtFullShare(title: string, tests: () => void): void {
  if (slowShare < 1) console.log(`${title}: skipped, because it runs only with SLOW_SHARE=1.`);
  describe.skipIf(slowShare < 1)(title, tests);
}
