import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { openGrants, password } from "./serve-grants.js";

type Credentials = Readonly<Record<string, string>>;

describe.each(providers)("C72, C113, C119 a user who was suspended and reactivated on %s", (provider) => {
  let grants: Awaited<ReturnType<typeof openGrants>>;
  let served: Awaited<ReturnType<typeof grants.start>>;
  let id: number;
  let root: Credentials;
  let stored: { readonly access: Credentials; readonly refreshToken: string; readonly key: Credentials };
  beforeAll(async () => {
    grants = await openGrants(inject("postgresUrl"), provider);
    served = await grants.start("static");
  });
  afterAll(() => grants?.close());
  beforeEach(async () => {
    const rows = grants.rows();
    await rows.user.deleteMany();
    for (const username of ["root", "ada"]) {
      const body = { username, email: `${username}@example.com`, password };
      expect((await served.call({}, "POST", "auth/signup", body)).status).toBe(201);
    }
    await rows.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
    ({ id } = await rows.user.findUniqueOrThrow({ where: { username: "ada" } }));
    root = await served.signIn("root");
    const { body } = await served.call({}, "POST", "auth/login", { username: "ada", password });
    const access = { authorization: `Bearer ${body.accessToken}` };
    const made = await served.call(access, "POST", "auth/keys", { name: "robot" });
    stored = { access, refreshToken: body.refreshToken, key: { "x-api-key": made.body.data.key } };
    expect(await statuses()).toEqual([200, 200]);
  });

  const statuses = async (): Promise<readonly number[]> =>
    Promise.all([stored.access, stored.key].map(async (shown) => (await served.call(shown, "GET", "users/me")).status));
  const refreshStatus = async (): Promise<number> =>
    (await served.call({}, "POST", "auth/refresh", { refreshToken: stored.refreshToken })).status;
  /** Existing credentials have ended, and a new login works. */
  const isEnded = async (): Promise<void> => {
    expect(await statuses()).toEqual([401, 401]);
    expect(await refreshStatus()).toBe(401);
    const again = await served.signIn("ada");
    expect((await served.call(again, "GET", "users/me")).status).toBe(200);
    expect((await served.call(root, "GET", "users/me")).status).toBe(200);
  };

  const at = new Date().toISOString();
  it.each([
    ["isActive", false, true],
    ["deletedAt", at, null],
  ])("C72 by %s has none of the earlier sessions and keys", async (name, away, back) => {
    for (const value of [away, back])
      expect((await served.call(root, "PATCH", `users/${id}`, { [name]: value })).status).toBe(200);
    await isEnded();
  });

  it("C72, C101 by a delete that can be restored has none of the earlier sessions and keys", async () => {
    await grants.closeAll();
    const keep = ["sessions", "keys", "notes", "roles"];
    served = await grants.start("static", { models: { User: { softDelete: { keep } } } });
    root = await served.signIn("root");
    expect((await served.call(root, "DELETE", `users/${id}`)).status).toBe(204);
    expect(await statuses()).toEqual([401, 401]);
    expect((await served.call(root, "GET", "users")).body.data).toMatchObject([{ username: "root" }]);
    expect((await served.call({}, "POST", "auth/login", { username: "ada", password })).status).toBe(401);
    expect((await served.call(root, "POST", `users/${id}/restore`)).status).toBe(200);
    await isEnded();
    const other = { models: { User: { softDelete: { field: "lastLoginAt", keep } } } };
    await expect(grants.start("static", other)).rejects.toThrow(
      "Authentication rejects users with a date in deletedAt",
    );
  });

  it("C72 in bulk has none of the earlier sessions and keys", async () => {
    expect((await served.call(root, "PATCH", "users/many", [{ id, isActive: false }])).status).toBe(200);
    expect((await served.call(root, "PATCH", "users/many?username=ada", { isActive: true })).status).toBe(200);
    await isEnded();
  });

  it("C72 by another program has none of them when the service reactivates the user", async () => {
    await grants.rows().user.update({ where: { id }, data: { isActive: false } });
    expect((await served.call(root, "PATCH", `users/${id}`, { isActive: true })).status).toBe(200);
    await isEnded();
  });

  it("C72 by another program has none of those that were used meanwhile", async () => {
    await grants.rows().user.update({ where: { id }, data: { isActive: false } });
    expect(await statuses()).toEqual([401, 401]);
    await grants.rows().user.update({ where: { id }, data: { isActive: true } });
    await isEnded();
  });

  it("C72 after deleting and restoring the account has none of them", async () => {
    expect((await served.call(stored.access, "DELETE", "users/me")).status).toBe(204);
    await grants.rows().user.update({ where: { id }, data: { deletedAt: null } });
    await isEnded();
  });
});
