import { expect, it } from "vitest";
import { growth, inProportion } from "../../../../scripts/test/measure.js";
import { redact } from "./redact.js";

it.each([
  "a:",
  '"',
  '"a":"',
  "?a=",
  "token",
  "://",
  "a://",
  "eyJ",
  "-eyJaaaa",
  "eyJaaaa.",
  "'\\",
  "a.a.a",
  "pass__",
  "a ",
  "bearer ",
])("takes time proportional to the length of a text full of %s", async (part) => {
  expect(
    await growth((count) => redact(part.repeat(count / part.length), { text: Number.POSITIVE_INFINITY }), 30_000),
  ).toBeLessThan(inProportion);
});
