import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("the first snippet of the README prints the documented output", async () => {
  const { printed, documented } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/webhooks"': '"../../src/index.js"',
  }));
  expect(printed).toBe(documented);
});
