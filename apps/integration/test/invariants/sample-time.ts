import { slowShare } from "../../../../scripts/test/slow-share.js";

/**
 * How long the cases of one test run in a sampled run, in milliseconds: about a minute for all of these tests. `npm test` runs some
 * cases of each invariant as well.
 */
export const sampleMs = slowShare < 1 ? 4_000 : undefined;
