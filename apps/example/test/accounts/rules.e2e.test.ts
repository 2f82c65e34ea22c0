import service, { ServiceRouter } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { readAccounts } from "../../src/accounts/accounts.js";
import { makeShopConfig } from "../../src/app.js";
import type { Row } from "../api.js";
import { type AccountDatabase, type AccountShop, accountConfig, bearer, secret } from "./account-shop.js";
import { newUser, type Shops, startShops, startupIssue } from "./shops.js";

let shops: Shops;
let database: AccountDatabase;
let shop: AccountShop;
const open: Shops["open"] = (options) => shops.open(options);
beforeAll(async () => {
  shops = await startShops();
  ({ database, shop } = shops);
});
afterEach(() => shops?.closeOpened());
afterAll(() => shops?.close());

const hashOf = async (username: string) =>
  (await database.client.user.findUniqueOrThrow({ where: { username } })).password;

describe("C11 a password that a superuser writes on a generated route is hashed", () => {
  const expectHashed = async (username: string, text: string) => {
    expect(await hashOf(username)).toMatch(/^\$2[aby]\$04\$.{53}$/);
    expect(await shop.tokenOf(username, text)).toBeTypeOf("string");
  };

  it("createOne, and updateOne", async () => {
    const made = await shop.as("root", "POST", "/api/users", newUser("one", { password: "first password" }));
    expect([made.status, "password" in made.body.data]).toEqual([201, false]);
    await expectHashed("one", "first password");
    const changed = await shop.as("root", "PATCH", `/api/users/${made.body.data.id}`, { password: "second password" });
    expect([changed.status, "password" in changed.body.data]).toEqual([200, false]);
    await expectHashed("one", "second password");
  });

  it("createMany, and updateMany in both forms", async () => {
    const rows = ["many1", "many2"].map((name) => newUser(name, { password: `password of ${name}` }));
    const made = await shop.as<{ data: Row[] }>("root", "POST", "/api/users/many", rows);
    expect(made.status).toBe(201);
    for (const { username, password: text } of rows as { username: string; password?: string }[]) {
      await expectHashed(username, text ?? "");
    }
    const [first, second] = made.body.data.map(({ id }) => id);
    const each = await shop.as("root", "PATCH", "/api/users/many", [
      { id: first, password: "each for itself" },
      { id: second, username: "many2" },
    ]);
    expect(each.status).toBe(200);
    await expectHashed("many1", "each for itself");
    await expectHashed("many2", "password of many2");
    const all = await shop.as("root", "PATCH", "/api/users/many?username__in=many1,many2", { password: "one for all" });
    expect(all.status).toBe(200);
    await expectHashed("many1", "one for all");
    await expectHashed("many2", "one for all");
  });

  it("nested, below another model", async () => {
    const open1 = await open({ config: { models: { AuthRole: { writable: ["users"] } } } });
    const role = { name: "nested", users: [newUser("nested1", { password: "a nested password" })] };
    const made = await open1.as("root", "POST", "/api/auth-roles", role);
    expect(made.status).toBe(201);
    expect(made.text).not.toContain("password");
    await expectHashed("nested1", "a nested password");
    const { id } = await database.client.user.findUniqueOrThrow({ where: { username: "nested1" } });
    const change = { users: [{ id, password: "changed below it" }] };
    // An update through another model, which may be open to more callers, is rejected.
    expect((await open1.as("root", "PATCH", `/api/auth-roles/${made.body.data.id}`, change)).status).toBe(400);
    await expectHashed("nested1", "a nested password");
  });

  it.each([
    ["too short", "short"],
    ["over 72 bytes", "ä".repeat(37)],
    ["empty", ""],
    ["null", null],
    ["a number", 12345678],
    ["an object", { set: "a password" }],
  ])("one that is %s is 400, and nothing is written", async (_, value) => {
    const before = await hashOf("will");
    const { id } = await database.client.user.findUniqueOrThrow({ where: { username: "will" } });
    expect((await shop.as("root", "PATCH", `/api/users/${id}`, { password: value })).status).toBe(400);
    expect((await shop.as("root", "POST", "/api/users", newUser("bad", { password: value }))).status).toBe(400);
    expect((await shop.as("root", "PATCH", "/api/users/many", [{ id, password: value }])).status).toBe(400);
    expect(await hashOf("will")).toBe(before);
    expect(await database.client.user.findUnique({ where: { username: "bad" } })).toBeNull();
  });

  it("a hash is treated as a password like any other", async () => {
    const hash = await hashOf("ada");
    await shop.as("root", "POST", "/api/users", newUser("hasher", { password: hash }));
    expect(await hashOf("hasher")).not.toBe(hash);
    await expectHashed("hasher", hash);
  });
});

describe("C30 authentication that is off", () => {
  it("enabled: false removes the routes, warns, and opens every declared route", async () => {
    const here = await open({ authentication: { enabled: false } });
    for (const [method, path] of [
      ["POST", "/api/auth/login"],
      ["POST", "/api/auth/signup"],
      ["DELETE", "/api/auth/logout"],
      ["GET", "/api/users/me"],
      ["GET", "/api/auth-actions"],
    ] as const) {
      expect([path, (await here.call(method, path)).status]).toEqual([path, 404]);
    }
    expect((await here.call("GET", "/api/reports/best-sellers")).status).toBe(200);
    expect((await here.call("GET", "/api/coupons")).status).toBe(200);
    expect((await here.call("GET", "/api/available-routes")).status).toBe(200);
    expect(here.log()).toMatch(/"level":40[^\n]*authentication/i);
  });

  it("enabled: false needs no secret, and still hashes", async () => {
    const config = accountConfig({ accounts: "static", authentication: { enabled: false } });
    const made = await service.create(
      { ...config, middlewares: { requestLogger: false } },
      { directory: import.meta.dirname, environment: { DATABASE_URL: database.url, NODE_ENV: "test" } },
    );
    await made.close();
  });

  it("declared authentication without any configuration prevents startup and names the route", async () => {
    const { routes, models } = readAccounts("static");
    const { models: none } = readAccounts("");
    expect(await startupIssue(database, makeShopConfig({ routes, models: none }))).toMatch(
      /reports\/best-sellers.*authentication|authentication.*reports\/best-sellers/s,
    );
    expect(models).not.toBe(none);
  });

  it("C25 a user model without required fields prevents startup", async () => {
    const login = { allowedUsernames: ["nickname", "email"] };
    const message = await startupIssue(database, accountConfig({ accounts: "static", authentication: { login } }), {
      JWT_SECRET: secret,
    });
    expect(message).toMatch(/nickname/);
  });

  it("C44 a role that is not in the enum prevents startup with the nearest one", async () => {
    const config = { models: { Tag: { auth: { createOne: ["STAF"] } } } };
    expect(await startupIssue(database, accountConfig({ accounts: "static", config }), { JWT_SECRET: secret })).toMatch(
      /STAF\. Did you mean STAFF/,
    );
  });
});

describe("C29 dynamic accounts", () => {
  it("apply a change of a role's permissions, and of a user's roles, to the next request on every instance", async () => {
    const [one, other] = [await open({ accounts: "dynamic" }), await open({ accounts: "dynamic" })];
    const token = await one.tokenOf("will");
    const read = async () => [
      (await one.call("GET", "/api/coupons", undefined, bearer(token))).status,
      (await other.call("GET", "/api/coupons", undefined, bearer(token))).status,
    ];
    expect(await read()).toEqual([403, 403]);
    const role = await database.client.authRole.findUniqueOrThrow({ where: { name: "warehouse" } });
    const grant = { resource: "coupon", action: "View", roleId: role.id };
    const given = await one.as("root", "POST", "/api/auth-permissions", grant);
    expect([given.status, ...(await read())]).toEqual([201, 200, 200]);
    await other.as("root", "DELETE", `/api/auth-permissions/${given.body.data.id}`);
    expect(await read()).toEqual([403, 403]);
    await database.client.authPermission.create({ data: grant });
    await database.client.user.update({
      where: { username: "will" },
      data: { roles: { disconnect: { id: role.id } } },
    });
    expect(await read()).toEqual([403, 403]);
    await database.client.user.update({ where: { username: "will" }, data: { roles: { connect: { id: role.id } } } });
    expect(await read()).toEqual([200, 200]);
    await database.client.authPermission.deleteMany({ where: { resource: "coupon" } });
  });

  it("C30 let customers with write access to reviews and orders reach their own, one by one and in bulk", async () => {
    const here = await open({ accounts: "dynamic" });
    const adas = await database.own("ada");
    const before = await database.client.review.findUnique({ where: { id: adas.reviewId } });
    const rejected = [
      await here.as("ben", "PATCH", "/api/reviews/many", [{ id: adas.reviewId, title: "x" }]),
      await here.as("ben", "DELETE", "/api/reviews/many", { ids: [adas.reviewId] }),
      await here.as("ben", "POST", "/api/reviews/many", [
        { rating: 5, body: "x", productId: 1, customerId: adas.customerId },
      ]),
      await here.as("ben", "PATCH", "/api/orders/many", [{ id: adas.orderId, note: "x" }]),
      await here.as("ada", "PATCH", "/api/orders/many", [{ id: adas.orderId, status: "DELIVERED" }]),
      await here.as("ada", "PATCH", `/api/orders/many?id=${adas.orderId}`, { total: "1" }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([404, 404, 400, 404, 403, 403]);
    const some = await here.as<{ meta: { count: number } }>("ben", "DELETE", `/api/reviews/many?id=${adas.reviewId}`);
    expect(some.body.meta.count).toBe(0);
    expect(await database.client.review.findUnique({ where: { id: adas.reviewId } })).toEqual(before);
  });

  it("list every possible permission in auth-actions", async () => {
    const here = await open({ accounts: "dynamic" });
    expect((await here.as(undefined, "GET", "/api/auth-actions")).status).toBe(401);
    const { body } = await here.as<{ data: Row[] }>("ada", "GET", "/api/auth-actions");
    const names = body.data.map(({ resource, action }) => `${resource} ${action}`);
    expect(names).toEqual(expect.arrayContaining(["coupon Create", "order Ship", "report View", "auth-role Delete"]));
    expect(new Set(names).size).toBe(names.length);
    expect(body.data.find(({ action }) => action === "Ship")?.name).toBe("Ship orders");
    const stored = await database.client.authPermission.findMany();
    const seeded = stored.map(({ resource, action }) => `${resource} ${action}`);
    // Open operations need no credentials.
    const open1 = ["category View", "tag View", "product View", "product-image View"];
    expect(seeded.filter((name) => !names.includes(name) && !open1.includes(name))).toEqual([]);
  });
});

describe("C46 discovery", () => {
  it("is for signed-in users, and contains what each may do", async () => {
    for (const path of ["routes", "resources"]) {
      expect((await shop.as(undefined, "GET", `/api/available-${path}`)).status).toBe(401);
    }
    const coupons = async (who: string) => {
      const { body } = await shop.as<{ data: Row[] }>(who, "GET", "/api/available-resources");
      return body.data.find(({ name }) => name === "coupon");
    };
    expect(await coupons("edda")).toMatchObject({ allowed: true });
    expect((await coupons("ada"))?.allowed ?? false).toBe(false);
  });

  it("contains fields only for callers who may see them", async () => {
    const fields = async (who: string) => {
      const { body } = await shop.as<{ data: Row[] }>(who, "GET", "/api/available-resources");
      const product = body.data.find(({ name }) => name === "product") as { fields: { name: string }[] } | undefined;
      return product?.fields.map(({ name }) => name) ?? [];
    };
    expect(await fields("ada")).not.toContain("stock");
    expect(await fields("edda")).toContain("stock");
    for (const who of ["ada", "edda", "root"]) expect(await fields(who)).not.toContain("purchasePrice");
  });
});

describe("C43 caches", () => {
  it("store no response of authentication, and no signed-in one for others", async () => {
    const token = await shop.tokenOf("ada");
    const of = async (method: string, path: string, headers = {}) =>
      (await shop.call(method, path, undefined, headers)).headers.get("cache-control");
    expect(await of("GET", "/api/orders", bearer(token))).toBe("private, no-cache");
    expect(await of("GET", "/api/products", bearer(token))).toBe("private, no-cache");
    expect(await of("GET", "/api/products")).toBeNull();
    expect(await of("GET", "/api/available-routes", bearer(token))).toBe("private, no-cache");
    expect(await of("GET", "/api/users/me", bearer(token))).toBe("no-store");
    expect(await of("POST", "/api/auth/login")).toBe("no-store");
    expect(await of("DELETE", "/api/auth/logout")).toBe("no-store");
    const { headers } = await shop.call("GET", "/api/products");
    expect(headers.get("vary")).toMatch(/Authorization/);
    expect(headers.get("vary")).toMatch(/Cookie/);
  });
});

describe("C44 C45 the module auth in code", () => {
  it("its hooks run around the actions, its schemas allow their fields, its router is below /api/auth", async () => {
    const seen: string[] = [];
    const router = ServiceRouter();
    router.get({ path: "/providers" }, (_request, response) => response.json({ data: ["password"] }));
    const here = await open({
      config: {
        models: {
          auth: {
            schemas: {
              signup: z.strictObject({
                username: z.string(),
                email: z.email(),
                password: z.string(),
                newsletter: z.boolean(),
              }),
            },
            hooks: {
              beforeSignup: (request, _response, next) => {
                seen.push(`before ${(request.body as { newsletter: boolean }).newsletter}`);
                next();
              },
              afterLogin: (_request, response, next) => {
                seen.push(`after ${response.locals.data.username}`);
                next();
              },
            },
            router,
          },
        },
      },
    });
    const body = { ...newUser("hooked"), password: "a long password" };
    expect((await here.call("POST", "/api/auth/signup", body)).status).toBe(400);
    expect((await here.call("POST", "/api/auth/signup", { ...body, newsletter: true })).status).toBe(201);
    await here.tokenOf("hooked", "a long password");
    expect(seen).toEqual(["before true", "after hooked"]);
    expect((await here.call("GET", "/api/auth/providers")).text).toBe('{"data":["password"]}');
    // The hook of the file src/modules/auth/auth.middlewares.ts also runs.
    expect((await database.client.user.findUniqueOrThrow({ where: { username: "hooked" } })).customerId).not.toBeNull();
  });

  it("a misspelled hook, schema or key prevents startup with the nearest name", async () => {
    const issue = (auth: object) =>
      startupIssue(database, accountConfig({ accounts: "static", config: { models: { auth } } }), {
        JWT_SECRET: secret,
      });
    expect(await issue({ hooks: { beforLogin: () => undefined } })).toMatch(/beforeLogin/);
    expect(await issue({ schemas: { signUp: z.strictObject({}) } })).toMatch(/signup/);
  });
});
