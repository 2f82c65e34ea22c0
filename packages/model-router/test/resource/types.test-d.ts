import { expectTypeOf, it } from "vitest";
import { ofOperation } from "../../src/resource/config/of-operation.js";

it("returns the value of an operation, or nothing", () => {
  expectTypeOf(ofOperation({ read: 1, deleteOne: 2 }, "findOne")).toEqualTypeOf<number | undefined>();
  expectTypeOf(ofOperation<boolean>(undefined, "findOne")).toEqualTypeOf<boolean | undefined>();
  // @ts-expect-error unknown operation
  ofOperation({ reads: 1 }, "findOne");
});
