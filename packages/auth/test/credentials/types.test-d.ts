import { describe, expectTypeOf, it } from "vitest";
import { type ApiKeys, type ApiKeysOptions, makeApiKeys } from "../../src/credentials/api-keys.js";
import { type KeyField } from "../../src/credentials/key-model.js";
import { type KeyRows, makeKeyRows, type StoredKey } from "../../src/credentials/key-rows.js";
import { loadTogether } from "../../src/credentials/load-together.js";
import { type OwnedModel, readOwnedModel } from "../../src/credentials/owned-model.js";
import { type Owner, type OwnerReader, type RememberedOwners } from "../../src/credentials/owner.js";
import { type SessionField } from "../../src/credentials/session-model.js";
import {
  makeSessionRows,
  type SessionOfUser,
  type SessionRows,
  type StoredSession,
} from "../../src/credentials/session-rows.js";
import {
  type ClientSession,
  makeSessions,
  type Refreshed,
  type Sessions,
  type SessionsOptions,
} from "../../src/credentials/sessions.js";

interface User extends Owner {
  readonly roles: readonly string[];
}

describe("the types of sessions", () => {
  it("C72 infer the user of a session", () => {
    expectTypeOf<ReturnType<Sessions<User>["userOf"]>>().toEqualTypeOf<Promise<User | undefined>>();
    expectTypeOf<Refreshed<User>["user"]>().toEqualTypeOf<User>();
    expectTypeOf<Refreshed<User>["session"]>().toEqualTypeOf<ClientSession>();
    expectTypeOf<SessionOfUser<User>["record"]>().toEqualTypeOf<User>();
    expectTypeOf<StoredSession<User>["record"]>().toEqualTypeOf<User>();
    expectTypeOf<ReturnType<SessionRows<User>["findStored"]>>().toEqualTypeOf<
      Promise<StoredSession<User> | undefined>
    >();
    expectTypeOf<Parameters<Sessions<User>["open"]>[0]>().toEqualTypeOf<User>();
  });

  it("C72 and the owner of a key", () => {
    expectTypeOf<StoredKey<User>["record"]>().toEqualTypeOf<User>();
    expectTypeOf<ReturnType<ApiKeys<User>["find"]>>().toEqualTypeOf<Promise<StoredKey<User> | undefined>>();
    expectTypeOf<ReturnType<KeyRows<User>["find"]>>().toEqualTypeOf<Promise<StoredKey<User> | undefined>>();
  });

  it("C72 use one user type from the rows to the sessions and keys", () => {
    expectTypeOf<OwnerReader<User>["toRecord"]>().returns.toEqualTypeOf<User>();
    expectTypeOf<ReturnType<RememberedOwners<User>["reading"]>>().parameter(0).toEqualTypeOf<User>();
    expectTypeOf<SessionsOptions<User>["rows"]>().toEqualTypeOf<SessionRows<User>>();
    expectTypeOf<ApiKeysOptions<User>["rows"]>().toEqualTypeOf<KeyRows<User>>();
    expectTypeOf(makeSessions<User>).returns.toEqualTypeOf<Sessions<User>>();
    expectTypeOf(makeApiKeys<User>).returns.toEqualTypeOf<ApiKeys<User>>();
    expectTypeOf(makeSessionRows<User>).returns.toEqualTypeOf<SessionRows<User>>();
    expectTypeOf(makeKeyRows<User>).returns.toEqualTypeOf<KeyRows<User>>();
  });

  it("C72 infer the fields of a model by their names", () => {
    expectTypeOf(readOwnedModel<"id" | "hash">).returns.toEqualTypeOf<OwnedModel<"id" | "hash"> | undefined>();
    expectTypeOf<OwnedModel<KeyField>["longest"]>().parameter(0).toEqualTypeOf<KeyField>();
    expectTypeOf(makeSessionRows<User>)
      .parameter(1)
      .toEqualTypeOf<OwnedModel<SessionField>>();
  });

  it("C29 of batched loading are those of its loader", () => {
    const load = loadTogether(async (ids: readonly number[]) => new Map(ids.map((id) => [String(id), { id }])));
    expectTypeOf(load).toEqualTypeOf<(id: number) => Promise<{ id: number } | undefined>>();
  });
});
