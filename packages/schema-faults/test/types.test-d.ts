import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import { checkConfig } from "../src/index.js";

it("knows a value from its schema", () => {
  const schema = z.strictObject({ port: z.int().default(8000), host: z.string().optional() });
  expectTypeOf(checkConfig({}, schema)).toEqualTypeOf<{ port: number; host?: string | undefined }>();
});
