import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { checkConfig, inSchemaOrder } from "../../src/schema-errors/index.js";

it("knows a value from its schema", () => {
  const schema = z.strictObject({ port: z.int().default(8000), host: z.string().optional() });
  expectTypeOf(checkConfig({}, schema)).toEqualTypeOf<{ port: number; host?: string | undefined }>();
});

it("keeps the type of the issues that it orders", () => {
  const issues = [{ code: "custom", path: ["a"], mine: 1 }];
  expectTypeOf(inSchemaOrder(issues, z.object({ a: z.string() }))).toEqualTypeOf<
    readonly { code: string; path: string[]; mine: number }[]
  >();
});
