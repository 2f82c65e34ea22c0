import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { redact } from "./redact.js";

it.each(["a:", '"', '"a":"', "?a=", "token", "://", "eyJ", "'\\", "a.a.a", "pass__"])(
  "takes time in proportion to a text full of %s",
  async (part) => {
    expect(await growth((count) => redact(part.repeat(count), { text: 10_000 }), 20_000)).toBeLessThan(inProportion);
  },
);
