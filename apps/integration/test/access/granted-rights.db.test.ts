import type { ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { type Mode, openGrants, password } from "./serve-grants.js";

const managers = ["MANAGER"];
const all = { read: managers, write: managers };

/** A manager has full access to users; in dynamic mode by stored permissions. */
const configOf = (mode: Mode): NonNullable<ServiceInitConfig["models"]> => ({
  Team: { auth: mode === "static" ? all : {} },
  User: { auth: mode === "static" ? all : {} },
  AuthKey: { operations: { updateOne: true } },
});

const resources = ["user", "team", "auth-role", "auth-permission", "user-role", "auth-key"];
const actions = ["Create", "View", "Update", "Delete"];

/** The ids of the initial rows of every test. */
interface Seed {
  readonly manager: number;
  readonly victim: number;
  readonly role: number;
  readonly spare: number;
  readonly team: number;
  readonly permission: number;
}

/** The rights do not depend on the database: both modes on one, and one on each other. */
const modes = (
  [
    ["static", "postgresql"],
    ["dynamic", "postgresql"],
    ["dynamic", "sqlite"],
    ["static", "mysql"],
  ] as const
).filter(([, provider]) => providers.includes(provider));

describe.each(modes)("C85, C113, C119 only superusers grant permissions (%s, %s)", (mode, provider) => {
  let grants: Awaited<ReturnType<typeof openGrants>>;
  let served: Awaited<ReturnType<typeof grants.start>>;
  let seed: Seed;
  let manager: Readonly<Record<string, string>>;
  let root: Readonly<Record<string, string>>;
  /** The state after the initial rows were written. */
  let seeded: string | undefined;
  beforeAll(async () => {
    grants = await openGrants(inject("postgresUrl"), provider);
    served = await grants.start(mode, { models: configOf(mode), mcp: { access: "write" } });
  });
  afterAll(() => grants?.close());

  beforeEach(async () => {
    // Rejected requests leave the initial rows.
    if (seeded === (await state())) return;
    const rows = grants.rows();
    for (const table of [rows.userRole, rows.authPermission, rows.authRole, rows.authKey, rows.user, rows.team])
      await (table as unknown as { deleteMany(): Promise<unknown> }).deleteMany();
    const names = ["root", "manager", "victim"];
    for (const username of names) {
      const body = { username, email: `${username}@example.com`, password };
      expect((await served.call({}, "POST", "auth/signup", body)).status).toBe(201);
    }
    await rows.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
    const { id } = await rows.user.update({ where: { username: "manager" }, data: { role: "MANAGER" } });
    const victim = await rows.user.findUniqueOrThrow({ where: { username: "victim" } });
    const data = resources.flatMap((resource) => actions.map((action) => ({ resource, action })));
    const role = await rows.authRole.create({ data: { name: "manager", permissions: { createMany: { data } } } });
    const spare = await rows.authRole.create({ data: { name: "spare" } });
    await rows.userRole.create({ data: { userId: id, roleId: role.id } });
    const permission = await rows.authPermission.findFirstOrThrow({ where: { roleId: role.id } });
    const team = await rows.team.create({ data: { name: "team", members: { connect: { id } } } });
    seed = {
      ...{ manager: id, victim: victim.id, role: role.id, spare: spare.id, team: team.id },
      permission: permission.id,
    };
    manager = await served.signIn("manager");
    root = await served.signIn("root");
    seeded = await state();
  });

  /** Everything that grants a permission, and the teams, as it is stored. */
  const state = async (): Promise<string> => {
    const rows = grants.rows();
    const users = await rows.user.findMany({ orderBy: { id: "asc" }, omit: { lastLoginAt: true } });
    const [teams, roles, permissions, links, keys] = await Promise.all([
      rows.team.findMany({ orderBy: { id: "asc" } }),
      rows.authRole.findMany({ orderBy: { id: "asc" } }),
      rows.authPermission.findMany({ orderBy: { id: "asc" } }),
      rows.userRole.findMany({ orderBy: { roleId: "asc" } }),
      rows.authKey.findMany({ omit: { lastUsedAt: true } }),
    ]);
    return JSON.stringify([users, teams, roles, permissions, links, keys]);
  };

  const newUser = { username: "new", email: "new@example.com", password };
  const granting = {
    isSuperUser: true,
    role: "ADMIN",
    isActive: false,
    emailVerified: true,
    deletedAt: "2030-01-01T00:00:00.000Z",
    passwordChangedAt: "2020-01-01T00:00:00.000Z",
  };
  type Case = readonly [what: string, method: string, path: (seed: Seed) => string, body: (seed: Seed) => unknown];
  const fieldCases: readonly Case[] = Object.entries(granting).flatMap(([name, value]): Case[] => [
    [`own ${name}`, "PATCH", ({ manager: id }) => `users/${id}`, () => ({ [name]: value })],
    [`${name} of others`, "PATCH", ({ victim }) => `users/${victim}`, () => ({ nickname: "x", [name]: value })],
    [`${name} of a new user`, "POST", () => "users", () => ({ ...newUser, [name]: value })],
    [`${name} in a bulk create`, "POST", () => "users/many", () => [{ ...newUser }, { ...newUser, [name]: value }]],
    [`${name} in data`, "POST", () => "users/many", () => ({ data: [{ ...newUser, [name]: value }] })],
    [`${name} in a bulk update`, "PATCH", () => "users/many", ({ victim }) => [{ id: victim, [name]: value }]],
    [`${name} of all`, "PATCH", () => "users/many?id__gt=0", () => ({ [name]: value })],
  ]);
  const credentialCases: readonly Case[] = (
    [
      ["password", "another long staple"],
      ["email", "manager+x@example.com"],
    ] as const
  ).flatMap(([name, value]): Case[] => [
    [`${name} of others`, "PATCH", ({ victim }) => `users/${victim}`, () => ({ [name]: value })],
    [`own ${name}`, "PATCH", ({ manager: id }) => `users/${id}`, () => ({ [name]: value })],
    [`${name} in a bulk update`, "PATCH", () => "users/many", ({ victim }) => [{ id: victim, [name]: value }]],
  ]);

  it.each([...fieldCases, ...credentialCases])(
    "C85 rejects %s, and names the place",
    async (_what, method, path, body) => {
      const before = await state();
      const response = await served.call(manager, method, path(seed), body(seed));
      expect([response.status, response.body.code], JSON.stringify(response.body)).toEqual([403, "Forbidden"]);
      expect(response.body.errors[0].path).toMatch(/\/\w+$/);
      expect(await state()).toBe(before);
    },
  );

  it.each([
    ["isSuperUser", true],
    ["role", "ADMIN"],
    ["password", "another long staple"],
    ["email", "x@example.com"],
    ["roles", [{ roleId: 1 }]],
  ])("C85 rejects %s through a relation of another model", async (name, value) => {
    const before = await state();
    const members = [{ id: seed.manager, [name]: value }];
    const response = await served.call(manager, "PATCH", `teams/${seed.team}`, { members });
    expect([response.status, response.body.errors?.[0].path]).toEqual([400, `/members/0/${name}`]);
    const created = await served.call(manager, "POST", "users", { ...newUser, roles: [{ roleId: seed.role }] });
    expect(created.status).toBe(mode === "static" ? 400 : 403);
    expect(await state()).toBe(before);
  });

  const modelCases: readonly Case[] = [
    ["a new role", "POST", () => "auth-roles", () => ({ name: "owner" })],
    [
      "a new role with permissions",
      "POST",
      () => "auth-roles",
      () => ({ name: "owner", permissions: [{ resource: "payment", action: "Create" }] }),
    ],
    ["another name of a role", "PATCH", ({ role }) => `auth-roles/${role}`, () => ({ name: "owner" })],
    [
      "permissions of the own role",
      "PATCH",
      ({ role }) => `auth-roles/${role}`,
      () => ({ permissions: [{ resource: "payment", action: "Create" }] }),
    ],
    [
      "a role for oneself",
      "PATCH",
      ({ spare }) => `auth-roles/${spare}`,
      ({ manager: userId }) => ({ users: [{ userId }] }),
    ],
    [
      "a new permission",
      "POST",
      () => "auth-permissions",
      ({ role }) => ({ resource: "payment", action: "Create", roleId: role }),
    ],
    [
      "permissions in bulk",
      "POST",
      () => "auth-permissions/many",
      ({ role }) => [{ resource: "payment", action: "Create", roleId: role }],
    ],
    ["another action", "PATCH", ({ permission }) => `auth-permissions/${permission}`, () => ({ resource: "payment" })],
    ["a permission taken away", "DELETE", ({ permission }) => `auth-permissions/${permission}`, () => undefined],
    ["permissions taken away", "DELETE", () => "auth-permissions/many?id__gt=0", () => undefined],
    ["a role taken away", "DELETE", ({ spare }) => `auth-roles/${spare}`, () => undefined],
    [
      "a role assigned to oneself",
      "POST",
      () => "user-roles",
      ({ manager: userId, spare }) => ({ userId, roleId: spare }),
    ],
    ["a role taken from others", "DELETE", ({ manager: id, role }) => `user-roles/${id},${role}`, () => undefined],
  ];
  it.each(modelCases)("C85 rejects %s", async (_what, method, path, body) => {
    const before = await state();
    const response = await served.call(manager, method, path(seed), body(seed));
    expect([response.status, response.body.code]).toEqual([403, "Forbidden"]);
    expect(await state()).toBe(before);
  });

  it("C85 rejects giving an API key to another owner", async () => {
    const made = await served.call(manager, "POST", "auth/keys", { name: "robot" });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const { id } = await grants.rows().user.findUniqueOrThrow({ where: { username: "root" } });
    const response = await served.call(manager, "PATCH", `auth-keys/${made.body.data.id}`, { userId: id });
    expect(response.status).toBe(403);
  });

  it("C85 allows a caller without these permissions to change other fields", async () => {
    const change = await served.call(manager, "PATCH", `users/${seed.victim}`, { nickname: "vic" });
    expect([change.status, change.body.data?.nickname]).toEqual([200, "vic"]);
    const created = await served.call(manager, "POST", "users", newUser);
    expect([created.status, created.body.data?.isSuperUser, created.body.data?.role]).toEqual([201, false, "VIEWER"]);
    expect(await served.signIn("new")).toHaveProperty("authorization");
    expect((await served.call(manager, "DELETE", `users/${seed.victim}`)).status).toBe(204);
  });

  it("C85 allows a superuser to set every one of them", async () => {
    for (const [name, value] of Object.entries({
      ...granting,
      password: "another long staple",
      email: "v@example.com",
    })) {
      const response = await served.call(root, "PATCH", `users/${seed.victim}`, { [name]: value });
      expect(response.status, `${name} ${JSON.stringify(response.body)}`).toBe(200);
    }
    const role = { name: "owner", permissions: [{ resource: "payment", action: "Create" }] };
    expect((await served.call(root, "POST", "auth-roles", role)).status).toBe(201);
    const link = { userId: seed.victim, roleId: seed.spare };
    expect((await served.call(root, "POST", "user-roles", link)).status).toBe(201);
  });

  it("C85 allows no API key to set them, not even that of a superuser", async () => {
    const made = await served.call(root, "POST", "auth/keys", { name: "robot" });
    const key = { "x-api-key": made.body.data.key as string };
    const before = await state();
    for (const [name, value] of Object.entries({
      ...granting,
      password: "another long staple",
      email: "v@example.com",
    })) {
      const response = await served.call(key, "PATCH", `users/${seed.victim}`, { [name]: value });
      expect([response.status, response.body.code, response.body.errors?.[0].path]).toEqual([
        403,
        "Forbidden",
        `/${name}`,
      ]);
    }
    expect((await served.call(key, "POST", "users", newUser)).body.errors?.[0].path).toBe("/password");
    expect(await state()).toBe(before);
    expect((await served.call(key, "PATCH", `users/${seed.victim}`, { nickname: "vic" })).status).toBe(200);
  });

  it("C85 allows AI agents to set these fields for a superuser only", async () => {
    const call = async (who: typeof root, name: string, given: object): Promise<string> => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
      const headers = { ...who, accept: "application/json, text/event-stream" };
      return JSON.stringify((await served.call(headers, "POST", "mcp", message)).body);
    };
    const settable = (text: string): string => text.slice(text.lastIndexOf("optional"));
    expect(settable(await call(root, "describe_resource", { resource: "users" }))).toContain("isSuperUser");
    expect(settable(await call(manager, "describe_resource", { resource: "users" }))).not.toContain("isSuperUser");
    const before = await state();
    const given = { resource: "users", key: seed.manager, data: { isSuperUser: true } };
    expect(await call(manager, "update", given)).toContain("Only a superuser can set isSuperUser of a user.");
    expect(await state()).toBe(before);
  });

  it("C85 does not replay a response to a grant after the caller lost the permission", async () => {
    const grant = { role: "ADMIN" };
    const requested = await served.call(
      { ...manager, "idempotency-key": "grant" },
      "PATCH",
      `users/${seed.victim}`,
      grant,
    );
    expect(requested.status).toBe(403);
    await grants.rows().user.update({ where: { id: seed.manager }, data: { isSuperUser: true } });
    const first = await served.call({ ...manager, "idempotency-key": "again" }, "PATCH", `users/${seed.victim}`, grant);
    expect(first.status).toBe(200);
    await grants.rows().user.update({ where: { id: seed.manager }, data: { isSuperUser: false } });
    await grants.rows().user.update({ where: { id: seed.victim }, data: { role: "VIEWER" } });
    const replay = await served.call(
      { ...manager, "idempotency-key": "again" },
      "PATCH",
      `users/${seed.victim}`,
      grant,
    );
    expect([replay.status, replay.body.code]).toEqual([422, "IdempotencyKeyReused"]);
  });

  describe("fields that the configuration delegates by name", () => {
    let delegated: typeof served;
    beforeAll(async () => {
      const auth = mode === "static" ? all : {};
      delegated = await grants.start(mode, {
        models: {
          User: { auth, writable: ["role", "password"] },
          AuthRole: { auth: { ...(mode === "static" ? all : {}), write: managers } },
          AuthPermission: { auth: { createOne: managers } },
        },
      });
    });

    it("C85 allows callers with write access to users to set the fields in User.writable, and no others", async () => {
      const path = `users/${seed.victim}`;
      expect((await delegated.call(manager, "PATCH", path, { role: "EDITOR" })).status).toBe(200);
      expect((await delegated.call(manager, "PATCH", path, { password: "another long staple" })).status).toBe(200);
      expect((await delegated.call(manager, "PATCH", path, { isSuperUser: true })).status).toBe(403);
      expect((await delegated.call(manager, "POST", "users", { ...newUser, role: "EDITOR" })).status).toBe(201);
    });

    it("C85 allows them to write the models whose operations have a rule, and no others", async () => {
      expect((await delegated.call(manager, "POST", "auth-roles", { name: "owner" })).status).toBe(201);
      const permission = { resource: "payment", action: "Create", roleId: seed.role };
      expect((await delegated.call(manager, "POST", "auth-permissions", permission)).status).toBe(201);
      expect((await delegated.call(manager, "DELETE", `auth-permissions/${seed.permission}`)).status).toBe(403);
      expect(
        (await delegated.call(manager, "POST", "user-roles", { userId: seed.manager, roleId: seed.spare })).status,
      ).toBe(403);
    });
  });
});
