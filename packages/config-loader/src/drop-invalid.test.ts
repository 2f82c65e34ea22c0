import { expect, it } from "vitest";
import { z } from "zod";
import { dropInvalid } from "./drop-invalid.js";

const schema = z.strictObject({
  port: z.int().optional(),
  auth: z
    .strictObject({ mode: z.enum(["a", "b"]), jwt: z.strictObject({ days: z.int().optional() }).optional() })
    .optional(),
  use: z.array(z.int()).optional(),
  size: z.union([z.literal(false), z.strictObject({ low: z.int(), high: z.int().optional() })]).optional(),
  on: z.boolean().default(true),
});

it.each<[object, object]>([
  [
    { port: 1, on: false },
    { port: 1, on: false },
  ],
  [{ port: "1", prot: 2 }, { on: true }],
  [
    { port: 1, auth: { mode: "a", jwt: { days: "x" } } },
    { port: 1, auth: { mode: "a", jwt: {} }, on: true },
  ],
  [
    { port: 1, auth: { jwt: { days: 1 } } },
    { port: 1, on: true },
  ],
  [{ use: [1, "2", 3, {}] }, { use: [1, 3], on: true }],
  [
    { size: { high: 2 }, port: 2 },
    { port: 2, on: true },
  ],
])("returns the valid part of %o", (value, valid) => {
  const before = structuredClone(value);
  expect(dropInvalid(value, schema)).toEqual(valid);
  expect(value).toEqual(before);
});

it("returns nothing of a value that is not a configuration", () => {
  expect(dropInvalid(7, schema)).toBeUndefined();
});
