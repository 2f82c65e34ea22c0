import path from "node:path";
import { expect, it, vi } from "vitest";
import { runReadme } from "../../../scripts/test/run-readme.js";

it("C73 the first snippet of the README prints the documented output", async () => {
  const text = vi.spyOn(process.stderr, "write").mockImplementation(() => true);
  const source = path.join(import.meta.dirname, "..", "src", "index.js");
  const { printed, documented } = await runReadme(import.meta.dirname, () => ({
    '"@servicekit/cli"': JSON.stringify(source),
  }));
  expect(printed).toBe(documented);
  expect(text.mock.calls.join("")).toContain("Did you mean build?");
  text.mockRestore();
});
