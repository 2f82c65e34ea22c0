import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("the first snippet of the README prints what it says", async () => {
  const { printed, told } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/workers"': '"../../src/index.js"',
  }));
  expect(printed).toBe(told);
});
