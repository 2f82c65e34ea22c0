import path from "node:path";
import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("the first snippet of the README prints what it says", async () => {
  const { printed, told } = await runReadme(import.meta.dirname, (folder) => ({
    '"@servicekit/modules"': '"../../src/index.js"',
    '"./modules': `"${path.relative(process.cwd(), folder)}/modules`,
  }));
  expect(printed).toBe(told);
});
