import { expect, it } from "vitest";
import { z } from "zod";
import { inSchemaOrder } from "./in-schema-order.js";

const row = z.strictObject({ id: z.int(), tags: z.array(z.strictObject({ name: z.string() })).optional() });
const schema = z.strictObject({ title: z.string(), rows: z.lazy(() => z.array(row)) }).refine(() => true);

it("C95 puts issues in the order of keys and items, unknown keys of an object after its known ones", () => {
  const inOrder = [
    { code: "invalid_type", path: ["title"] },
    { code: "invalid_type", path: ["rows", 0, "id"] },
    { code: "invalid_type", path: ["rows", 0, "tags", 2, "name"] },
    { code: "invalid_type", path: ["rows", 0, "tags", 10, "name"] },
    { code: "unrecognized_keys", path: ["rows", 0] },
    { code: "invalid_type", path: ["rows", 2, "id"] },
    { code: "unrecognized_keys", path: [] },
  ];
  expect(inSchemaOrder(inOrder.toReversed(), schema)).toEqual(inOrder);
  expect(inSchemaOrder(inOrder, schema)).toEqual(inOrder);
});

it("preserves the order of issues that the schema does not order", () => {
  const issues = [{ path: ["b"] }, { path: ["a"] }, { path: [] }];
  expect(inSchemaOrder(issues, z.unknown())).toEqual(issues);
});
