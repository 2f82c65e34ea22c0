import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { oneOf, slowShare } from "../test/slow-share.js";
import { expectations, mutatePackage } from "./mutate-package.js";

const names = readdirSync(path.join(import.meta.dirname, "../../packages"));

it("expectations.json names every package", () => {
  expect(Object.keys(expectations).sort()).toEqual(names.sort());
});

/** Those whose tests have been measured: for the others any result is accepted. */
const measured = names.filter((name) => expectations[name]?.threshold !== 0);

// Of two mutants, one more may be equivalent; ten of each package are a measurement.
const [count, spare] = slowShare < 1 ? [2, 1] : [10, 0];

// One package after the other: each run uses all processors.
describe.sequential("the tests of a package", () => {
  it.each(oneOf(measured))("notice enough mutants of %s", { timeout: 3_600_000 }, async (name) => {
    const lines: string[] = [];
    const { noticed, total } = await mutatePackage(name, { count, report: (line) => lines.push(line) });
    expect((noticed + spare) / total, lines.join("\n")).toBeGreaterThanOrEqual(expectations[name]?.threshold ?? 1);
  });
});
