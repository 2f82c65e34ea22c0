import type { Request } from "express";
import { expect, it } from "vitest";
import { makeApiKey } from "../credentials/api-key.js";
import { type ApiKeys } from "../credentials/api-keys.js";
import { type StoredKey } from "../credentials/key-rows.js";
import { makeCounts } from "../limits/make-counts.js";
import type { UserRecord } from "../users/user-store.js";
import { makeApiKeyKind } from "./api-key-kind.js";

const record: UserRecord = {
  id: 1,
  passwordHash: null,
  isActive: true,
  isSuperUser: false,
  roles: ["editor", "reader"],
  permissions: [
    { resource: "page", action: "View" },
    { resource: "page", action: "Update" },
  ],
  user: {},
};

/** The permissions of a key, by its roles and permissions. */
async function rightsOf(owner: Partial<UserRecord>, key: Partial<StoredKey<UserRecord>>) {
  const { text } = makeApiKey("test");
  const stored = { id: "k", roles: [], permissions: [], ...key, record: { ...record, ...owner } };
  const keys = { find: async () => stored } as unknown as ApiKeys<UserRecord>;
  const counts = makeCounts("api-key", 60_000, { makeStore: undefined, onStoreError: () => undefined });
  const kind = makeApiKeyKind({ keys, counts, limit: 9, message: "" });
  const credential = await kind({ headers: { authorization: `Bearer ${text}` } } as Request);
  if (credential === undefined) throw new Error("This is no key.");
  const { caller, permissions } = await credential.verify();
  return [caller.isSuperUser, caller.roles.join(), permissions.map(({ action }) => action).join()];
}

it.each<[string, Partial<UserRecord>, Partial<StoredKey<UserRecord>>, unknown[]]>([
  ["all of the owner's where it names none", {}, {}, [false, "editor,reader", "View,Update"]],
  ["the permissions that it names", {}, { permissions: ["page:View"] }, [false, "editor,reader", "View"]],
  ["no permission that the owner has no more", {}, { permissions: ["page:Delete"] }, [false, "editor,reader", ""]],
  ["the roles that it names", {}, { roles: ["reader", "admin"] }, [false, "reader", "View,Update"]],
  ["everything with a superuser's", { isSuperUser: true }, {}, [true, "editor,reader", "View,Update"]],
  [
    "what it names with a superuser's, and no more",
    { isSuperUser: true, permissions: [] },
    { permissions: ["api-docs:View"] },
    [false, "editor,reader", "View"],
  ],
  [
    "nothing of what a superuser gave who is none any more",
    { permissions: [] },
    { permissions: ["a:B"] },
    [false, "editor,reader", ""],
  ],
])("C72 a key may %s", async (_, owner, key, expected) => {
  expect(await rightsOf(owner, key)).toEqual(expected);
});

it("C72 leaves other tokens to the other kinds of credentials", () => {
  const kind = makeApiKeyKind({} as never);
  for (const headers of [{}, { "x-api-key": "abc" }, { authorization: "Bearer abc" }, { cookie: "x-api-key=svk_a" }]) {
    expect(kind({ headers } as unknown as Request)).toBeUndefined();
  }
});
