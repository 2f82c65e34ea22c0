import { expect, it } from "vitest";
import { z } from "zod";
import { makeValidator } from "../../src/validation/make-validator.js";
import { checkedAtOnce } from "../../src/validation/zod.js";

const lengthOf = () => z.string().transform((text) => text.length);

it("judges a schema in one turn of which it is said that it never waits", () => {
  const schema = checkedAtOnce(z.lazy(lengthOf));
  expect(makeValidator(schema)("mugs", "body")).toEqual({ valid: true, value: 4 });
  expect(makeValidator(schema)(1, "body")).toMatchObject({ valid: false, faults: [{ code: "InvalidType" }] });
  expect(makeValidator(z.strictObject({ text: schema }))({ text: "cups" }, "body")).toMatchObject({ valid: true });
});

it("waits for one of which nothing is said, and for its neighbours", async () => {
  const said = checkedAtOnce(lengthOf());
  const verdict = makeValidator(z.strictObject({ text: said, name: z.lazy(lengthOf) }))(
    { text: "a", name: "b" },
    "body",
  );
  expect(verdict).toBeInstanceOf(Promise);
  expect(await verdict).toEqual({ valid: true, value: { text: 1, name: 1 } });
  expect(makeValidator(z.lazy(lengthOf))("mugs", "body")).toBeInstanceOf(Promise);
});

it("waits all the same where it was said of one that does", async () => {
  const schema = checkedAtOnce(z.string().refine(async (text) => text === "mugs"));
  const judge = makeValidator(schema);
  expect(await judge("mugs", "body")).toEqual({ valid: true, value: "mugs" });
  expect(await judge("cups", "body")).toMatchObject({ valid: false });
});
