import { expect, it } from "vitest";
import { nearestKey } from "./nearest-key.js";

it.each<[string, string[], string | undefined]>([
  ["prot", ["host", "port"], "port"],
  ["maximum", ["default", "max"], "max"],
  ["window", ["windowMs", "limit"], "windowMs"],
  ["rate_limit", ["rateLimit"], "rateLimit"],
  ["welcomMesage", ["welcomeMessage"], "welcomeMessage"],
  ["zzz", ["port", "host"], undefined],
  ["", ["port"], undefined],
  ["p", ["port"], undefined],
  ["x".repeat(100_000), ["port"], undefined],
  ["port", [], undefined],
])("%s among %o is %s", (key, known, nearest) => {
  expect(nearestKey(key, known)).toBe(nearest);
});
