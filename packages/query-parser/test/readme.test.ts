import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("prints the documented output when the first block of the README runs", async () => {
  const { printed, documented } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/query-parser"': '"../../src/index.js"',
  }));
  expect(printed).toBe(documented);
});
