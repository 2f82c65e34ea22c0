import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("the first snippet of the README prints the documented output", async () => {
  const replaced = { '"@servicekit/client"': '"../../src/index.js"' };
  const { printed, documented } = await runReadme(import.meta.dirname, () => replaced);
  expect(printed).toBe(documented);
});
