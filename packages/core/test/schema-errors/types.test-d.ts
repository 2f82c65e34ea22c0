import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { checkConfig, inSchemaOrder } from "../../src/schema-errors/index.js";

it("infers a value from its schema", () => {
  const schema = z.strictObject({ port: z.int().default(8000), host: z.string().optional() });
  expectTypeOf(checkConfig({}, schema)).toEqualTypeOf<{ port: number; host?: string | undefined }>();
});

it("preserves the type of the sorted issues", () => {
  const issues = [{ code: "custom", path: ["a"], mine: 1 }];
  expectTypeOf(inSchemaOrder(issues, z.object({ a: z.string() }))).toEqualTypeOf<
    readonly { code: string; path: string[]; mine: number }[]
  >();
});
