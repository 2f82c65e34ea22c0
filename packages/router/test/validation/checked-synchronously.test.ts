import { expect, it } from "vitest";
import { z } from "zod";
import { makeValidator } from "../../src/validation/make-validator.js";
import { checkedSynchronously } from "../../src/validation/zod.js";

const lengthOf = () => z.string().transform((text) => text.length);

it("validates with a schema that is declared as synchronous in one tick", () => {
  const schema = checkedSynchronously(z.lazy(lengthOf));
  expect(makeValidator(schema)("mugs", "body")).toEqual({ valid: true, value: 4 });
  expect(makeValidator(schema)(1, "body")).toMatchObject({ valid: false, issues: [{ code: "InvalidType" }] });
  expect(makeValidator(z.strictObject({ text: schema }))({ text: "cups" }, "body")).toMatchObject({ valid: true });
});

it("awaits an undeclared one, and its neighbors", async () => {
  const message = checkedSynchronously(lengthOf());
  const verdict = makeValidator(z.strictObject({ text: message, name: z.lazy(lengthOf) }))(
    { text: "a", name: "b" },
    "body",
  );
  expect(verdict).toBeInstanceOf(Promise);
  expect(await verdict).toEqual({ valid: true, value: { text: 1, name: 1 } });
  expect(makeValidator(z.lazy(lengthOf))("mugs", "body")).toBeInstanceOf(Promise);
});

it("awaits a schema that was wrongly declared as synchronous", async () => {
  const schema = checkedSynchronously(z.string().refine(async (text) => text === "mugs"));
  const evaluate = makeValidator(schema);
  expect(await evaluate("mugs", "body")).toEqual({ valid: true, value: "mugs" });
  expect(await evaluate("cups", "body")).toMatchObject({ valid: false });
});
