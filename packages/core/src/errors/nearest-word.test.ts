import { expect, it } from "vitest";
import { nearestWord } from "./nearest-word.js";

it.each<[string, string[], string | undefined]>([
  ["prot", ["host", "port"], "port"],
  ["maximum", ["default", "max"], "max"],
  ["window", ["windowMs", "limit"], "windowMs"],
  ["rate_limit", ["rateLimit"], "rateLimit"],
  ["welcomMesage", ["welcomeMessage"], "welcomeMessage"],
  ["uploadDir", ["baseUploadDir", "baseRoute"], "baseUploadDir"],
  ["size", ["maxSize"], undefined],
  ["zzz", ["port", "host"], undefined],
  ["", ["port"], undefined],
  ["p", ["port"], undefined],
  ["x".repeat(100_000), ["port"], undefined],
  ["port", [], undefined],
])("%s among %o is %s", (word, known, nearest) => {
  expect(nearestWord(word, known)).toBe(nearest);
});
