import path from "node:path";
import { expect, it } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("C73 the first snippet of the README prints the documented output", async () => {
  const { printed, documented } = await runReadme(import.meta.dirname, (folder) => ({
    '"@servicekit/init"': '"../../src/index.js"',
    "./my-shop": path.join(folder, "my-shop"),
  }));
  expect(printed).toBe(documented);
});
