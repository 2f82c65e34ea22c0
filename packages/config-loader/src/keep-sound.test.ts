import { expect, it } from "vitest";
import { z } from "zod";
import { keepSound } from "./keep-sound.js";

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
])("F27 keeps of %o what is right", (value, sound) => {
  const before = structuredClone(value);
  expect(keepSound(value, schema)).toEqual(sound);
  expect(value).toEqual(before);
});

it("keeps nothing of what is no configuration", () => {
  expect(keepSound(7, schema)).toBeUndefined();
});
