import { describe, expectTypeOf, it } from "vitest";
import {
  type ApiKeys,
  type ApiKeysOptions,
  type HeldSession,
  type KeyField,
  type KeyRows,
  loadTogether,
  makeApiKeys,
  makeKeyRows,
  makeSessionRows,
  makeSessions,
  type OwnedModel,
  type Owner,
  type OwnerReader,
  type Refreshed,
  type RememberedOwners,
  readOwnedModel,
  type SessionField,
  type SessionOfUser,
  type SessionRows,
  type Sessions,
  type SessionsOptions,
  type StoredKey,
  type StoredSession,
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

  it("C72 are made for one kind of user from its rows to its sessions and keys", () => {
    expectTypeOf<OwnerReader<User>["toRecord"]>().returns.toEqualTypeOf<User>();
    expectTypeOf<RememberedOwners<User>["remember"]>().parameter(0).toEqualTypeOf<User>();
    expectTypeOf<SessionsOptions<User>["rows"]>().toEqualTypeOf<SessionRows<User>>();
    expectTypeOf<ApiKeysOptions<User>["rows"]>().toEqualTypeOf<KeyRows<User>>();
    expectTypeOf(makeSessions<User>).returns.toEqualTypeOf<Sessions<User>>();
    expectTypeOf(makeApiKeys<User>).returns.toEqualTypeOf<ApiKeys<User>>();
    expectTypeOf(makeSessionRows<User>).returns.toEqualTypeOf<SessionRows<User>>();
    expectTypeOf(makeKeyRows<User>).returns.toEqualTypeOf<KeyRows<User>>();
  });

  it("C72 tell the fields of a model by their names", () => {
    expectTypeOf(readOwnedModel<"id" | "hash">).returns.toEqualTypeOf<OwnedModel<"id" | "hash"> | undefined>();
    expectTypeOf<OwnedModel<KeyField>["longest"]>().parameter(0).toEqualTypeOf<KeyField>();
    expectTypeOf(makeSessionRows<User>)
      .parameter(1)
      .toEqualTypeOf<OwnedModel<SessionField>>();
  });

  it("C29 of what is loaded together are those of its loader", () => {
    const load = loadTogether(async (ids: readonly number[]) => new Map(ids.map((id) => [String(id), { id }])));
    expectTypeOf(load).toEqualTypeOf<(id: number) => Promise<{ id: number } | undefined>>();
  });
});
