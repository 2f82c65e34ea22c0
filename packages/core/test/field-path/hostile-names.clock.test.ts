import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { PathError } from "../../src/field-path/path-error.js";
import { splitFieldPath } from "../../src/field-path/split-field-path.js";

it.each(["[", "]", ".", "a[", "a[b]", "a."])(
  "handles a name full of %s in time proportional to its length",
  async (part) => {
    const read = (count: number) => {
      try {
        splitFieldPath(`a${part.repeat(count)}`);
      } catch (error) {
        if (!(error instanceof PathError)) throw error;
      }
    };
    expect(await growth(read, 50_000)).toBeLessThan(inProportion);
  },
);
