import { describe, expectTypeOf, it } from "vitest";
import type { ParamsOf } from "./params-of.js";

describe("ParamsOf", () => {
  it("reads the parameters of a path", () => {
    expectTypeOf<ParamsOf<"/users">>().toEqualTypeOf<Record<never, never>>();
    expectTypeOf<ParamsOf<"/users/:id">>().toEqualTypeOf<{ id: string }>();
    expectTypeOf<ParamsOf<"/a/:one/b/:two_2">>().toEqualTypeOf<{ one: string; two_2: string }>();
    expectTypeOf<ParamsOf<"/a/:one-:two.:three">>().toEqualTypeOf<{ one: string; two: string; three: string }>();
    expectTypeOf<ParamsOf<"/files/*rest">>().toEqualTypeOf<{ rest: string[] }>();
    expectTypeOf<ParamsOf<"/:a/*rest">>().toEqualTypeOf<{ a: string; rest: string[] }>();
    expectTypeOf<ParamsOf<"/a{/:b}/:c">>().toEqualTypeOf<{ b?: string; c: string }>();
    expectTypeOf<ParamsOf<"{/:b}{/*c}">>().toEqualTypeOf<{ b?: string; c?: string[] }>();
  });

  it("is general if the path is not known at compile time", () => {
    expectTypeOf<ParamsOf<string>>().toEqualTypeOf<Record<string, string>>();
  });
});
