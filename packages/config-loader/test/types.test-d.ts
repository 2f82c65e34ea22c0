import { expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  type LoadConfigOptions,
  type LoadedConfig,
  loadConfig,
  type ReadConfig,
  type VariableTable,
} from "../src/index.js";
import { readConfig } from "../src/internal.js";

it("infers the configuration from its schema", () => {
  const schema = z.strictObject({ port: z.int().default(8000), host: z.string().optional() });
  const loading = loadConfig({ directory: ".", baseName: "service", schema, environment: process.env });
  expectTypeOf<Awaited<typeof loading>["config"]>().toEqualTypeOf<{ port: number; host?: string | undefined }>();
});

it("requires the values of an enum", () => {
  expectTypeOf({ A: { key: "a", type: "enum", values: ["x"] } } as const).toExtend<VariableTable>();
  expectTypeOf({ A: { key: "a", type: "enum" } } as const).not.toExtend<VariableTable>();
});

it("types the valid parts of a configuration", () => {
  const schema = z.strictObject({ port: z.int().default(8000) });
  const read = (options: LoadConfigOptions<typeof schema>) => readConfig(options);
  expectTypeOf(read).returns.resolves.toEqualTypeOf<ReadConfig<{ port: number }>>();
  expectTypeOf<ReadConfig<{ port: number }>>().toExtend<LoadedConfig<{ port: number }>>();
});
