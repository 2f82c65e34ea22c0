import type { Request } from "express";
import { expectTypeOf, it } from "vitest";
import type { z } from "zod";
import { type Auth, type AuthConfig, type AuthHooks } from "../src/index.js";
import { authConfigSchema } from "../src/settings.js";

it("request.user is typed in handlers", () => {
  expectTypeOf<Request["user"]>().toEqualTypeOf<Express.User | undefined>();
});

it("the schema and the type of the configuration agree", () => {
  type Given = z.input<typeof authConfigSchema>;
  expectTypeOf<keyof AuthConfig>().toEqualTypeOf<keyof Given>();
  expectTypeOf<NonNullable<AuthConfig["mode"]>>().toEqualTypeOf<Given["mode"]>();
});

it("hooks are handlers by name", () => {
  expectTypeOf<{ beforeLogin: () => void }>().toExtend<AuthHooks>();
  expectTypeOf<keyof AuthHooks>().toExtend<`before${string}` | `after${string}`>();
  expectTypeOf<Auth["allows"]>().returns.toEqualTypeOf<boolean>();
});
