import { expect, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.js";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("the first snippet of the README prints the documented output", async () => {
  const replaced = { '"@servicekit/telemetry"': '"../../src/index.js"', "3000": String(await freePort()) };
  const { printed, documented } = await runReadme(import.meta.dirname, () => replaced);
  expect(printed).toBe(documented);
});
