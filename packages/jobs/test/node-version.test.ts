import { expect, it } from "vitest";
import { warnOfNode } from "../src/queue/open-boss.js";

function warned(version: string): readonly object[] {
  const lines: object[] = [];
  const unexpected = (): never => expect.fail("only warns");
  warnOfNode(version, { info: unexpected, warn: (fields) => void lines.push(fields), error: unexpected });
  return lines;
}

it.each(["22.12.0", "22.13.1", "23.0.0", "24.1.0"])("C109 logs nothing on Node %s", (version) => {
  expect(warned(version)).toEqual([]);
});

it.each(["20.19.0", "20.20.2", "22.11.0"])("C109 warns on Node %s, which pg-boss is not tested with", (version) => {
  expect(warned(version)).toEqual([{ node: version }]);
});
