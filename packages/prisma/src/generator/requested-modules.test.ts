import { expect, it } from "vitest";
import { readRequestedModules } from "./requested-modules.js";

it("the generator block requests modules by both names of their libraries", () => {
  expect(readRequestedModules({})).toEqual({ schemas: false, dtos: false, api: false });
  for (const schemas of ["zod", "schema-lib"])
    expect(readRequestedModules({ schemas })).toEqual({ schemas: true, dtos: false, api: false });
  for (const dtos of ["class-validator", "class-lib"])
    expect(readRequestedModules({ dtos })).toEqual({ schemas: false, dtos: true, api: false });
  expect(readRequestedModules({ api: "types" })).toEqual({ schemas: false, dtos: false, api: true });
});

it("rejects an unknown option of the generator block", () => {
  expect(() => readRequestedModules({ schemas: "yup" })).toThrow('must be "zod" or "schema-lib"');
  expect(() => readRequestedModules({ dtos: ["class-validator"] })).toThrow('must be "class-validator" or "class-lib"');
  expect(() => readRequestedModules({ schema: "zod" })).toThrow(
    "servicekit-prisma has no option schema; expected one of schemas, dtos, api.",
  );
});
