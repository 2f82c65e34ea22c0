import path from "node:path";
import { expect, it, vi } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("C73 the first snippet of the README prints what it says", async () => {
  const said = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const source = path.join(import.meta.dirname, "..", "src", "index.js");
  const { printed, told } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/cli"': JSON.stringify(source),
  }));
  expect(printed).toBe(told);
  expect(said.mock.calls.join("")).toContain("Did you mean build?");
  said.mockRestore();
});
