import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { isPlaceholder } from "./weak-secret.js";

it("the check of a secret takes time proportional to its length", async () => {
  const check = (count: number) => isPlaceholder(`${"changeme1secret".repeat(count)}!q`);
  expect(await growth(check, 5_000)).toBeLessThan(inProportion);
});
