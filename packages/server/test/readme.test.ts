import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("the first snippet of the README prints what it says", async () => {
  const replaced = { '"@servicekit/server"': '"../../src/index.js"' };
  const { printed, told } = await runReadme(import.meta.dirname, () => replaced);
  expect(printed).toBe(told);
});
