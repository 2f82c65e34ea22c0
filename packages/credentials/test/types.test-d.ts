import { describe, expectTypeOf, it } from "vitest";
import type {
  ApiKeys,
  HeldSession,
  KeyRows,
  Owner,
  Refreshed,
  SessionOfUser,
  SessionRows,
  Sessions,
  StoredKey,
  StoredSession,
} from "../src/index.js";

interface User extends Owner {
  readonly roles: readonly string[];
}

describe("the types of sessions", () => {
  it("C72 know the user that a session is of", () => {
    expectTypeOf<ReturnType<Sessions<User>["userOf"]>>().toEqualTypeOf<Promise<User | undefined>>();
    expectTypeOf<Refreshed<User>["user"]>().toEqualTypeOf<User>();
    expectTypeOf<Refreshed<User>["held"]>().toEqualTypeOf<HeldSession>();
    expectTypeOf<SessionOfUser<User>["record"]>().toEqualTypeOf<User>();
    expectTypeOf<StoredSession<User>["record"]>().toEqualTypeOf<User>();
    expectTypeOf<ReturnType<SessionRows<User>["findStored"]>>().toEqualTypeOf<
      Promise<StoredSession<User> | undefined>
    >();
    expectTypeOf<Parameters<Sessions<User>["open"]>[0]>().toEqualTypeOf<User>();
  });

  it("C72 and of keys, the owner of one", () => {
    expectTypeOf<StoredKey<User>["record"]>().toEqualTypeOf<User>();
    expectTypeOf<ReturnType<ApiKeys<User>["find"]>>().toEqualTypeOf<Promise<StoredKey<User> | undefined>>();
    expectTypeOf<ReturnType<KeyRows<User>["find"]>>().toEqualTypeOf<Promise<StoredKey<User> | undefined>>();
  });
});
