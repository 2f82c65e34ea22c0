import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  password,
  secret,
  signUp,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Json, Problem, Row } from "../api.js";

describe.each(inject("accounts"))("with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const login = (body: unknown) => shop.call<Problem>("POST", "/api/auth/login", body);
  const me = (headers: Record<string, string>) => shop.call<Problem>("GET", "/api/users/me", undefined, headers);

  describe("an object in place of a string", () => {
    it.each<[string, unknown]>([
      ["username: { not }", { username: { not: "" }, password }],
      ["username: { startsWith }", { username: { startsWith: "ad" }, password }],
      ["username: { contains }", { username: { contains: "a" }, password }],
      ["username: { in }", { username: { in: ["ada", "root"] }, password }],
      ["username: a list", { username: ["ada"], password }],
      ["username: null", { username: null, password }],
      ["username: a number", { username: 1, password }],
      ["username: true", { username: true, password }],
      ["password: { not }", { username: "ada", password: { not: "" } }],
      ["password: a list", { username: "ada", password: [password] }],
      ["password: null", { username: "ada", password: null }],
      ["a column reference", { username: { _ref: "username", _container: "User" }, password }],
      ["an own key __proto__", '{"__proto__": {"username": "ada"}, "password": "harbour and pine"}'],
      ["a list of logins", [{ username: "ada", password }]],
      ["a text", '"ada"'],
    ])("%s is 400 and signs in no user", async (_, body) => {
      const reply = await login(body);
      expect(reply.status).toBe(400);
      expect(reply.headers.get("set-cookie")).toBeNull();
    });

    it("a filter in the name of a field is 400", async () => {
      for (const name of ["username__startsWith", "username[startsWith]", "username.startsWith", "where"]) {
        expect((await login({ [name]: "a", password })).status).toBe(400);
      }
    });

    it("LIKE wildcards in a name are literal", async () => {
      for (const username of ["ad%", "a_a", "%", "ada\\"]) {
        expect((await login({ username, password })).body.code).toBe("InvalidCredentials");
      }
    });
  });

  describe("missing values do not match every user", () => {
    it.each<[string, unknown]>([
      ["no name", { password }],
      ["no password", { username: "ada" }],
      ["nothing", {}],
      ["another field of the user", { id: 1, password }],
      ["a flag of the user", { isSuperUser: true, password }],
      ["two names", { username: "ada", email: "root@harbour-pine.example", password }],
    ])("%s is 400", async (_, body) => {
      expect((await login(body)).status).toBe(400);
    });

    it.each(["", " ", "undefined", "null"])("the name %j belongs to no user", async (username) => {
      expect([400, 401]).toContain((await login({ username, password })).status);
    });
  });

  describe("sign-up cannot create an administrator", () => {
    it.each<[string, Json]>([
      ["role", "STAFF"],
      ["roles", [{ id: 1 }]],
      ["isSuperUser", true],
      ["isActive", true],
      ["id", 4711],
      ["emailVerified", true],
      ["deletedAt", null],
      ["passwordChangedAt", "2030-01-01T00:00:00Z"],
      ["lastLoginAt", "2030-01-01T00:00:00Z"],
      ["customerId", "00000000-0000-4000-8000-000000000000"],
      ["customer", { name: "Eve" }],
    ])("with %s it is 400, and creates no user", async (name, value) => {
      const { response: reply, username } = await signUp(shop, { [name]: value });
      expect(reply.status).toBe(400);
      expect(await database.client.user.findUnique({ where: { username } })).toBeNull();
    });

    it.each<[string, Json]>([
      ["password", "another password"],
      ["role", "STAFF"],
      ["roles", [{ id: 1 }]],
      ["isSuperUser", true],
      ["isActive", false],
      ["id", 4711],
      ["emailVerified", false],
      ["deletedAt", "2030-01-01T00:00:00Z"],
      ["customerId", null],
    ])("PATCH me with %s is 400, and changes nothing", async (name, value) => {
      const before = await database.client.user.findUnique({ where: { username: "ada" } });
      expect((await shop.as("ada", "PATCH", "/api/users/me", { [name]: value })).status).toBe(400);
      const { lastLoginAt: _, ...rest } = before ?? {};
      expect(await database.client.user.findUnique({ where: { username: "ada" } })).toMatchObject(rest);
    });

    it("a new user is a customer with rows of their own, and takes over none", async () => {
      const { response: reply, id } = await signUp(shop);
      expect(reply.status).toBe(201);
      const user = await database.client.user.findUniqueOrThrow({
        where: { id },
        include: { customer: true, roles: true },
      });
      expect(user).toMatchObject({ role: "CUSTOMER", isSuperUser: false, isActive: true, roles: [] });
      expect(user.customer?.email).toBe(user.email);
      const known = await database.client.customer.findFirstOrThrow({ where: { user: null } });
      const thief = await signUp(shop, { email: known.email });
      expect(thief.response.status).toBe(201);
      const token = await shop.tokenOf(thief.username, thief.password);
      for (const path of ["customers", "orders", "addresses", "payments", "order-items"]) {
        const { status, body } = await shop.call<{ data?: Row[] }>("GET", `/api/${path}`, undefined, bearer(token));
        // With stored permissions, a new user has none.
        expect([status, body.data]).toEqual(accounts === "static" ? [200, []] : [403, undefined]);
      }
    });

    it("a new row for another customer is rejected, and none is written", async () => {
      const [ada, ben] = [await database.own("ada"), await database.own("ben")];
      const address = { label: "Stolen", street: "Street 1", postalCode: "1", city: "Lyon", country: "FR" };
      const before = await database.client.address.count();
      for (const body of [
        { ...address, customerId: ben.customerId },
        { ...address, customer: { id: ben.customerId } },
      ]) {
        expect([400, 403]).toContain((await shop.as("ada", "POST", "/api/addresses", body)).status);
      }
      const move = await shop.as("ada", "PATCH", `/api/addresses/${ada.addressId}`, { customerId: ben.customerId });
      expect([400, 403]).toContain(move.status);
      expect(await database.client.address.count()).toBe(before);
      expect((await database.own("ada")).addressId).toBe(ada.addressId);
    });

    it("a customer neither prices nor pays an order, in any notation", async () => {
      const { orderId } = await database.own("ada");
      const before = await database.client.order.findUnique({ where: { id: orderId } });
      for (const body of [
        { status: "DELIVERED" },
        { total: "0.01" },
        { note: "x", items: [{ $delete: true, line: 1 }] },
      ]) {
        expect([400, 403]).toContain((await shop.as("ada", "PATCH", `/api/orders/${orderId}`, body)).status);
      }
      expect((await shop.as("ada", "PATCH", `/api/orders/many?id=${orderId}`, { status: "DELIVERED" })).status).toBe(
        403,
      );
      expect(await database.client.order.findUnique({ where: { id: orderId } })).toEqual(before);
      expect((await shop.as("ada", "PATCH", `/api/orders/${orderId}`, { note: "Ring twice" })).status).toBe(200);
    });
  });

  describe("the password and its hash are never returned", () => {
    it.each([
      ["fields", "/api/users?fields=password"],
      ["fields, left out", "/api/users?fields=-password"],
      ["sort", "/api/users?sort=password"],
      ["filter", "/api/users?password__startsWith=$2b$"],
      ["filter in brackets", "/api/users?password[contains]=a"],
      ["filter in a group", "/api/users?or[0][password__startsWith]=$2&or[1][id]=1"],
      ["filter through a relation", "/api/auth-roles?users__password__contains=a"],
      ["sort through a relation", "/api/auth-permissions?sort=role.users.password"],
      ["filter from the customer", "/api/customers?user__username=ada"],
      ["include from the customer", "/api/customers?include=user"],
    ])("as %s it is 400, for a superuser too", async (_, path) => {
      expect((await shop.as("root", "GET", path)).status).toBe(400);
    });

    it("no response with a user contains it: sign-up, login, me, lists, includes, conflicts", async () => {
      const { response: reply, username, id, password: own } = await signUp(shop);
      const texts = [
        reply.text,
        (await login({ username, password: own })).text,
        (await shop.as("root", "GET", "/api/users?limit=100")).text,
        (await shop.as("root", "GET", `/api/users/${id}?include=roles,customer`)).text,
        (await shop.as("root", "GET", "/api/auth-roles?include=users")).text,
        (await shop.as("root", "GET", "/api/users?search=$2b$")).text,
        (await shop.as("root", "PATCH", `/api/users/${id}`, { password: "another long one" })).text,
        (await shop.as("root", "POST", "/api/users", { username, email: "x@example.com", password: "some password" }))
          .text,
        (await shop.as("ada", "PATCH", "/api/users/me", { username })).text,
        (await shop.as("root", "GET", "/api/available-resources")).text,
      ];
      for (const text of texts)
        expect(text.match(/\$2[aby]\$|some password|another long|"password"|passwordHash/g)).toBeNull();
    });

    it("the search does not include hashes", async () => {
      const { body } = await shop.as<{ data: Row[] }>("root", "GET", "/api/users?search=$2b$04");
      expect(body.data).toEqual([]);
    });

    it("the log contains no password, no hash, no token and no cookie", async () => {
      const token = await shop.tokenOf("ben");
      await me({ cookie: `access_token=${token}` });
      const { headers } = await login({ username: "ada", password: "a wrong password of mine" });
      await expect.poll(() => shop.log()).toContain(`"requestId":"${headers.get("x-request-id")}","status":401`);
      const log = shop.log();
      for (const text of [token, password, "a wrong password of mine", "$2b$", secret]) {
        expect(log.includes(text), text.slice(0, 8)).toBe(false);
      }
    });
  });

  describe("the existence of a user is not revealed", () => {
    it("an unknown user, a wrong password, an inactive and a deleted user get the same response", async () => {
      const [inactive, deleted] = [await signUp(shop), await signUp(shop)];
      await database.client.user.update({ where: { id: inactive.id }, data: { isActive: false } });
      await database.client.user.update({ where: { id: deleted.id }, data: { deletedAt: new Date() } });
      const responses = [
        await login({ username: "nobody", password: "wrong password" }),
        await login({ username: "ada", password: "wrong password" }),
        await login({ username: inactive.username, password: inactive.password }),
        await login({ username: deleted.username, password: deleted.password }),
        await login({ username: "ada", password: "x" }),
      ];
      const seen = responses.map(({ status, body: { requestId: _, ...rest } }) => JSON.stringify({ status, rest }));
      expect(new Set(seen).size).toBe(1);
      expect(seen[0]).toContain("InvalidCredentials");
    });

    it.each(["orders", "addresses", "payments", "order-items", "customers"])(
      "another customer's %s cannot be distinguished from missing ones by any filter, count or include",
      async (path) => {
        const { customerId } = await database.own("ada");
        const key =
          path === "customers"
            ? "id"
            : path === "order-items" || path === "payments"
              ? "order__customerId"
              : "customerId";
        const { body } = await shop.as<{ data: Row[]; meta: { total: number } }>(
          "ben",
          "GET",
          `/api/${path}?${key}=${customerId}`,
        );
        expect([body.data, body.meta.total]).toEqual([[], 0]);
        const all = await shop.as<{ data: Row[]; meta: { total: number } }>("ben", "GET", `/api/${path}?limit=100`);
        expect(all.text).not.toContain(customerId);
        expect(all.body.meta.total).toBe(all.body.data.length);
      },
    );

    it("a bulk change reaches only rows of the caller", async () => {
      const [ada, ben] = [await database.own("ada"), await database.own("ben")];
      const theirs = () => database.client.order.findUniqueOrThrow({ where: { id: ada.orderId } });
      const before = await theirs();
      for (const query of [
        `id=${ada.orderId}`,
        `customerId=${ada.customerId}`,
        `id__in=${ada.orderId},${ben.orderId}`,
      ]) {
        expect([200, 403]).toContain(
          (await shop.as("ben", "PATCH", `/api/orders/many?${query}`, { note: "x" })).status,
        );
      }
      const list = [
        { id: ben.orderId, note: "x" },
        { id: ada.orderId, note: "x" },
      ];
      expect([403, 404]).toContain((await shop.as("ben", "PATCH", "/api/orders/many", list)).status);
      const ids = { ids: [ada.reviewId, ben.reviewId] };
      expect([403, 404]).toContain((await shop.as("ben", "DELETE", "/api/reviews/many", ids)).status);
      expect(await theirs()).toEqual(before);
      expect(await database.own("ada")).toEqual(ada);
    });

    it("a filter through a relation reaches only rows that the caller may see", async () => {
      const ada = await database.client.customer.findFirstOrThrow({ where: { user: { username: "ada" } } });
      for (const filter of [`customer__email=${ada.email}`, `customer__name__startsWith=${ada.name.slice(0, 3)}`]) {
        const { body } = await shop.as<{ data: Row[] }>("ben", "GET", `/api/reviews?customerId=${ada.id}&${filter}`);
        expect(body.data).toEqual([]);
      }
      const { body } = await shop.as<{ data: Row[] }>(
        "ben",
        "GET",
        `/api/reviews?customerId=${ada.id}&include=customer`,
      );
      expect(body.data.length).toBeGreaterThan(0);
      expect(body.data.map(({ customer }) => customer)).toEqual(body.data.map(() => null));
    });

    it("a field that a role cannot see is unknown to it", async () => {
      for (const query of ["stock__gt=1", "sort=stock", "fields=stock", "include=suppliers"]) {
        expect((await shop.as("ada", "GET", `/api/products?${query}`)).status).toBe(400);
        expect((await shop.as(undefined, "GET", `/api/products?${query}`)).status).toBe(400);
        expect((await shop.as("edda", "GET", `/api/products?${query}`)).status).toBe(200);
      }
      expect((await shop.as("ada", "GET", "/api/orders?limit=1")).text).not.toContain("clientIp");
    });
  });

  describe("no spelling of a route bypasses the access check", () => {
    it.each([
      ["HEAD", "/api/coupons"],
      ["GET", "/api/coupons/"],
      ["GET", "/api/Coupons"],
      ["GET", "/API/COUPONS"],
      ["GET", "/api/coupons?limit=1"],
      ["GET", "/api/coupons/FLASH7.5"],
      ["GET", "/api/coupons/%46LASH7.5"],
      ["HEAD", "/api/coupons/NONE"],
      ["POST", "/api/coupons/many"],
      ["POST", "/api/uploads/images"],
      ["DELETE", "/api/uploads/images/x.png"],
      ["GET", "/api/available-routes"],
      ["GET", "/api/available-resources"],
      ["GET", "/api/auth-actions"],
      ["POST", "/api/orders/1/ship"],
      ["GET", "/api/reports/best-sellers"],
    ])("%s %s without a token is 401", async (method, path) => {
      const response = await fetch(shop.url + path, { method });
      expect(response.status).toBe(401);
    });

    it.each([
      ["//api/coupons"],
      ["/api//coupons"],
      ["/api/./coupons/../coupons%2F"],
      ["/api/coupons;x=1"],
      ["/api/coupons%00"],
      ["/api/tags/../coupons%2f.."],
    ])("%s shows no coupon to an anonymous client", async (path) => {
      const response = await fetch(shop.url + path);
      expect([400, 401, 404]).toContain(response.status);
      expect(await response.text()).not.toContain("percent");
    });

    it("a method in a header or in the query has no effect", async () => {
      const token = await shop.tokenOf("ada");
      const headers = { ...bearer(token), "x-http-method-override": "DELETE" };
      expect((await shop.call("GET", "/api/tags/1?_method=DELETE", undefined, bearer(token))).status).toBe(400);
      expect((await shop.call("GET", "/api/tags/1", undefined, headers)).status).toBe(200);
    });

    it("the access check precedes the body: an invalid, a missing and a huge one are 401 and 403 alike", async () => {
      for (const body of [undefined, {}, { nonsense: 1 }, { name: "x".repeat(50_000) }]) {
        expect((await shop.as(undefined, "POST", "/api/tags", body)).status).toBe(401);
        expect((await shop.as("ada", "POST", "/api/tags", body)).status).toBe(403);
      }
    });
  });

  describe("operations without a rule are closed", () => {
    it.each(["settings", "users", "auth-roles", "auth-permissions"])("%s are for a superuser only", async (path) => {
      const responses = [];
      for (const who of [undefined, "ada", "edda", "root"])
        responses.push((await shop.as(who, "GET", `/api/${path}`)).status);
      expect(responses).toEqual([401, 403, 403, 200]);
    });

    it("an operation without a rule is closed if others of the model are open", async () => {
      expect((await shop.as("edda", "DELETE", "/api/stock-movements/1")).status).toBe(403);
      expect((await shop.as("edda", "DELETE", "/api/customers/many", { ids: [] })).status).toBe(403);
    });

    if (accounts === "dynamic")
      it("a user without a role has no access, and a role of that name in the static field grants none", async () => {
        const user = await signUp(shop);
        await database.client.user.update({ where: { id: user.id }, data: { role: "STAFF" } });
        await shop.tokenOf(user.username, user.password);
        for (const path of ["orders", "suppliers", "settings", "users"]) {
          expect((await shop.as(user.username, "GET", `/api/${path}`)).status).toBe(403);
        }
      });
  });
});
