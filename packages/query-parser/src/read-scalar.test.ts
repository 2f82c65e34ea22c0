import { expect, it } from "vitest";
import { isCanonicalNumber } from "./read-scalar.js";

it.each(["0", "12", "-5", "-0.5", "1.5", "9007199254740991", "-9007199254740991", "1e-7", "0.1"])(
  "C19 %s is a number",
  (text) => expect(isCanonicalNumber(text)).toBe(true),
);

it.each([
  "",
  " ",
  " 1",
  "1 ",
  "007",
  "1e400",
  "-1e400",
  "0x10",
  "+5",
  "9007199254740992",
  "9007199254740993",
  "-0",
  "1.",
  ".5",
  "1.50",
  "1e3",
  "1e+21",
  "Infinity",
  "-Infinity",
  "NaN",
  "1,5",
  "1_000",
  "٣",
  "0b1",
  "12n",
  "-",
  "--1",
  "1-1",
])("C19 %j stays text", (text) => expect(isCanonicalNumber(text)).toBe(false));
