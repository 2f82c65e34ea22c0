import type { RouteStep } from "@servicekit/router";
import { setCaller } from "@servicekit/router/internal";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type Relations, startRelations } from "./relations.js";
import type { Served } from "./serve-models.js";

type Caller = Parameters<typeof setCaller>[1];

const everyone = { auth: { all: true } } as const;
const user: Caller = { id: 1, roles: [], isSuperUser: false, user: { id: 1 } };
const root: Caller = { ...user, isSuperUser: true };

let caller: Caller | undefined;
const authentication: RouteStep = {
  key: "authentication",
  handlers: () => [
    (request, _response, next) => {
      if (caller !== undefined) setCaller(request, caller);
      next();
    },
  ],
};

let relations: Relations;
let served: Served;
let delegating: Served;
beforeAll(async () => {
  relations = await startRelations(inject("postgresUrl"));
  const options = {
    access: { allows: () => true },
    transformWrite: async (_: unknown, data: unknown) => data,
  } as never;
  const models = { User: everyone, Owner: everyone, Door: everyone };
  served = await relations.serve({ models }, options, [authentication]);
  const delegated = { ...models, User: { ...everyone, writable: ["role", "password"] } };
  delegating = await relations.serve({ models: delegated }, options, [authentication]);
});
beforeEach(async () => {
  caller = user;
  await relations.clear();
  await relations.sql(`INSERT INTO "User" (email, password) VALUES ('a@x', 'h'), ('b@x', 'h')`);
});
afterAll(() => relations?.close());

/** The places of fields that the caller may not set; the status if there are none. */
async function rejected(method: string, path: string, body: unknown, of = served): Promise<unknown> {
  const response = await of.call(method, path, body);
  if (response.status !== 403) return response.status;
  return response.body.errors.map((error: { path: string; message: string }) => `${error.path}: ${error.message}`);
}

const only = (field: string, place = `/${field}`): string => `${place}: Only a superuser can set ${field} of a user.`;
const session = (field: string): string => `/${field}: Only a superuser with a session can set ${field} of a user.`;
const created = { email: "c@x", password: "long enough" };

describe("C85 fields of users that only superusers set", () => {
  it("are those that grant permissions, in new users", async () => {
    expect(await rejected("POST", "/users", created)).toBe(201);
    expect(await rejected("POST", "/users", { ...created, role: "admin", isActive: true })).toEqual([
      only("role"),
      only("isActive"),
    ]);
  });

  it("are also those that give access to the account, in changes", async () => {
    expect(await rejected("PATCH", "/users/2", { email: "d@x", password: "long enough", role: "admin" })).toEqual([
      ...["email", "password", "role"].map((field) => only(field)),
    ]);
    expect(await rejected("PATCH", "/users/many", [{ id: 1 }, { id: 2, email: "d@x" }])).toEqual([
      only("email", "/1/email"),
    ]);
    expect(await rejected("PATCH", "/users/many?id=2", { isActive: false })).toEqual([only("isActive")]);
    const rows = await relations.sql(`SELECT email, role, "isActive" FROM "User" ORDER BY id`);
    expect(rows).toEqual(["a@x", "b@x"].map((email) => ({ email, role: "reader", isActive: true })));
  });

  it("are found in every item of a bulk", async () => {
    const items = [created, { email: "d@x", password: "long enough", role: "admin" }];
    expect(await rejected("POST", "/users/many", items)).toEqual([only("role", "/1/role")]);
    expect(await rejected("POST", "/users/many", { data: items })).toEqual([only("role", "/data/1/role")]);
    expect(await rejected("POST", "/users/many", [created])).toBe(201);
  });

  it("are set by superusers, but not with one of their API keys", async () => {
    const fields = { email: "e@x", role: "admin", isActive: false };
    caller = { ...root, keyId: "1" };
    expect(await rejected("PATCH", "/users/2", fields)).toEqual(Object.keys(fields).map(session));
    expect(await rejected("POST", "/users", created)).toEqual([session("password")]);
    caller = root;
    expect(await rejected("PATCH", "/users/2", fields)).toBe(200);
    expect(await rejected("POST", "/users", { ...created, role: "admin" })).toBe(201);
    caller = undefined;
    expect(await rejected("PATCH", "/users/2", fields)).toEqual(Object.keys(fields).map((name) => only(name)));
  });

  it("are not those that the configuration opens, nor fields of other models", async () => {
    const body = { role: "admin", password: "long enough", isActive: false };
    expect(await rejected("PATCH", "/users/2", body, delegating)).toEqual([only("isActive")]);
    expect(await rejected("PATCH", "/users/2", { role: "admin", password: "long enough" }, delegating)).toBe(200);
    expect(await rejected("POST", "/owners", { name: "Ann", email: "ann@x" })).toBe(201);
    expect(await rejected("POST", "/doors", { label: "front", password: "open" })).toBe(201);
  });

  it("do not precede the errors of the body", async () => {
    for (const body of [[], "text", { data: 1 }, [1]])
      expect([body, await rejected("POST", "/users", body)]).toEqual([body, 400]);
  });
});
