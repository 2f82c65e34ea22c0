import { randomUUID } from "node:crypto";
import { makeDatabaseKeys, readKeyModel } from "@servicekit/idempotency";
import { type Database, ServiceRouter } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { providers } from "../../../../scripts/test/provider-database.js";
import { makeOrders } from "./serve-orders.js";

const key = (value: string = randomUUID()) => ({ "idempotency-key": value });
const codeOf = (text: string): unknown => (JSON.parse(text) as { code?: unknown }).code;

describe.each(providers)("C49, C113, C119 on %s", (provider) => {
  const shared = makeOrders(provider);
  let plain: Awaited<ReturnType<typeof shared.start>>;
  beforeAll(async () => {
    plain = await shared.start({ timeouts: { poolWait: 120_000, request: 170_000 } });
  });
  afterAll(shared.close);

  const { start, close, logText } = makeOrders(provider);
  afterEach(close);

  describe("C49 a write with an Idempotency-Key", () => {
    it.each([
      ["auto", "sql"],
      ["prisma", "prisma"],
    ] as const)(
      "C49 is executed once with database.engine %s: its response is replayed with status, headers and body",
      async (engine, expected) => {
        const { call, rows, database } = await start({ database: { engine } });
        expect(database?.engines.get("Order")?.engine).toBe(provider === "postgresql" ? expected : "prisma");
        await call("POST", "orders/many", [{ product: "a" }, { product: "b" }, { product: "c" }]);
        const acts: readonly (readonly [string, string, unknown?])[] = [
          ["POST", "orders", { product: "tea", customer: { name: "Ada", city: "Rome" } }],
          ["PATCH", "orders/1", { amount: 5 }],
          ["DELETE", "orders/2"],
          ["POST", "orders/many", [{ product: "x" }, { product: "y" }]],
          ["PATCH", "orders/many", [{ id: 1, amount: 7 }]],
          ["DELETE", "orders/many", { ids: [3] }],
        ];
        for (const [method, target, body] of acts) {
          const own = key();
          const first = await call(method, target, body, own);
          const before = await rows("Order");
          const second = await call(method, target, body, own);
          expect([first.status, first.replayed], `${method} ${target} ${first.text}`).toEqual([
            { POST: 201, PATCH: 200, DELETE: target.endsWith("many") ? 200 : 204 }[method],
            null,
          ]);
          expect(second, `${method} ${target}`).toMatchObject({
            status: first.status,
            text: first.text,
            replayed: "true",
          });
          for (const name of ["location", "etag", "content-type", "content-length"])
            expect(second.headers.get(name), name).toBe(first.headers.get(name));
          expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"));
          expect(await rows("Order")).toBe(before);
        }
        expect(await rows("Customer")).toBe(1);
      },
    );

    it("C49 is 422 with another body, path or method, and changes nothing", async () => {
      const { call, rows } = plain;
      const own = key();
      const first = await call("POST", "orders", { product: "oolong" }, own);
      expect(first.status).toBe(201);
      const path = first.headers.get("location")?.replace("/api/", "") ?? "";
      for (const [method, target, body] of [
        ["POST", "orders", { product: "milk" }],
        ["POST", "orders?fields=id", { product: "oolong" }],
        ["PATCH", path, { product: "oolong" }],
        ["DELETE", path, undefined],
      ] as const) {
        const reported = await call(method, target, body, own);
        expect([reported.status, codeOf(reported.text)], `${method} ${target}`).toEqual([422, "IdempotencyKeyReused"]);
      }
      expect(await rows("Order", { product: "oolong" })).toBe(1);
    });

    it("C49 is one write if it is sent 200 times concurrently; the others get its response or have to wait", async () => {
      const { call, rows } = plain;
      const own = key();
      const all = await Promise.all(
        Array.from({ length: 200 }, () => call("POST", "orders", { product: "race" }, own)),
      );
      expect(await rows("Order", { product: "race" })).toBe(1);
      const first = all.filter(({ status, replayed }) => status === 201 && replayed === null);
      expect(first).toHaveLength(1);
      for (const { status, text, replayed, headers } of all) {
        if (status === 201) expect(text).toBe(first[0]?.text);
        else
          expect([status, codeOf(text), replayed, headers.get("retry-after")]).toEqual([
            409,
            "RequestInProgress",
            null,
            "1",
          ]);
      }
      expect(await call("POST", "orders", { product: "race" }, own)).toMatchObject({ status: 201, replayed: "true" });
    });

    it("C49 has written nothing if it is rejected: it is executed when it is sent again", async () => {
      const { call, rows } = await start();
      const own = key();
      const body = { product: "tea", customerId: 1 };
      expect(codeOf((await call("POST", "orders", body, own)).text)).toBe("RelatedRecordNotFound");
      expect((await call("POST", "orders", { product: 5 }, key())).status).toBe(400);
      expect(await rows("IdempotencyKey")).toBe(0);
      await call("POST", "customers", { name: "Ada" });
      expect(await call("POST", "orders", body, own)).toMatchObject({ status: 201, replayed: null });
      const bulk = [{ name: "Ada" }, { name: "Bea" }];
      const reported = await call("POST", "customers/many", bulk, own);
      expect(reported.status).toBe(422);
      const rejected = await call("POST", "customers/many", bulk, key());
      expect(JSON.parse(rejected.text)).toMatchObject({ code: "UniqueConstraint", errors: [{ path: "/0/name" }] });
    });

    it("C49 is committed together with its record: a claim that another request took over rolls the write back", async () => {
      const { call, rows, database } = await start({
        models: {
          Order: {
            hooks: {
              beforeCreateOne: async (_request, _response, next) => {
                await database?.of("IdempotencyKey").updateMany({
                  where: {},
                  data: { holder: "another" },
                  select: { id: true },
                  everything: true,
                });
                next();
              },
            },
          },
        },
      });
      const reported = await call("POST", "orders", { product: "tea" }, key());
      expect([reported.status, codeOf(reported.text)]).toEqual([409, "RequestInProgress"]);
      expect(await rows("Order")).toBe(0);
    });

    it("C49 is replayed with the response of the after hooks, which run once", async () => {
      let hooks = 0;
      const { call } = await start({
        models: {
          Order: {
            hooks: {
              beforeCreateOne: (_request, _response, next) => {
                hooks++;
                next();
              },
              afterCreateOne: (_request, response, next) => {
                hooks++;
                response.set("X-Made", "by hook");
                response.locals.data = { ...response.locals.data, product: "changed" };
                next();
              },
            },
          },
        },
      });
      const own = key();
      const first = await call("POST", "orders", { product: "tea" }, own);
      const second = await call("POST", "orders", { product: "tea" }, own);
      expect(first.text).toContain("changed");
      expect(second).toMatchObject({ text: first.text, replayed: "true" });
      expect(second.headers.get("x-made")).toBe("by hook");
      expect(hooks).toBe(2);
    });

    it("C49 is executed when the lease of its exited process expires", async () => {
      const { call, rows, database } = plain;
      const keys = database?.of("IdempotencyKey");
      await keys?.deleteMany({ where: {}, everything: true });
      const own = key();
      await call("POST", "orders", { product: "lease" }, own);
      // The state after the process has claimed it and exited.
      const data = { response: null, expiresAt: new Date(Date.now() + 60_000) };
      await keys?.updateMany({ where: {}, data, select: { id: true }, everything: true });
      expect((await call("POST", "orders", { product: "lease" }, own)).status).toBe(409);
      await keys?.updateMany({ where: {}, data: { expiresAt: new Date(0) }, select: { id: true }, everything: true });
      expect(await call("POST", "orders", { product: "lease" }, own)).toMatchObject({ status: 201, replayed: null });
      expect(await rows("Order", { product: "lease" })).toBe(2);
    });

    it("C49 leaves a row that is deleted after a day, and not before", async () => {
      const { call, database } = plain;
      const model = database && readKeyModel(database.models);
      if (model === undefined) throw new Error("The schema has the model.");
      const [keys, rows] = [makeDatabaseKeys(database as Database, model), database?.of(model)];
      await keys.deleteExpired();
      const before = (await rows?.count()) ?? 0;
      await call("POST", "orders", { product: "swept" }, key());
      expect([await keys.deleteExpired(), await rows?.count()]).toEqual([0, before + 1]);
      const cached = (await rows?.findMany({ orderBy: { expiresAt: "desc" }, take: 1 }))?.[0];
      const hours = (Number(cached?.expiresAt) - Date.now()) / 3_600_000;
      expect(Math.round(hours)).toBe(24);
      await rows?.update({ where: { id: cached?.id }, data: { expiresAt: new Date(0) }, select: { id: true } });
      expect([await keys.deleteExpired(), await rows?.count()]).toEqual([1, before]);
    });

    it("C49 is executed once even if its response is too long to be stored, which the repetition reports", async () => {
      const { call, rows } = await start({ limits: { body: "8mb", bodyValues: 100_000 } });
      const own = key();
      const body = Array.from({ length: 300 }, () => ({ product: "x".repeat(5_000) }));
      expect((await call("POST", "orders/many", body, own)).status).toBe(201);
      const again = await call("POST", "orders/many", body, own);
      expect([again.status, codeOf(again.text)]).toEqual([409, "ResponseNotStored"]);
      expect(await rows("Order")).toBe(300);
    });

    it("C49 reports an invalid key", async () => {
      const { call, rows } = plain;
      for (const bad of ["", "with blank", "x".repeat(256), "a, b"]) {
        const reported = await call("POST", "orders", { product: "bad" }, key(bad));
        expect([reported.status, codeOf(reported.text)], bad).toEqual([400, "InvalidIdempotencyKey"]);
      }
      expect(await rows("Order", { product: "bad" })).toBe(0);
    });
  });

  describe("C49 keys and related features", () => {
    it("C49 have no routes, and appear in no document", async () => {
      const { call, openapi } = plain;
      expect((await call("GET", "idempotency-keys")).status).toBe(404);
      expect((await call("POST", "idempotency-keys", {})).status).toBe(404);
      const { paths } = (await openapi()) as { paths: Record<string, Record<string, { parameters?: object[] }>> };
      expect(Object.keys(paths).filter((path) => path.includes("idempotency"))).toEqual([]);
      const parameters = (method: string) => JSON.stringify(paths["/api/orders"]?.[method]?.parameters);
      expect(parameters("post")).toMatch(/Idempotency-?Key/);
      expect(parameters("get")).not.toMatch(/Idempotency/);
      const { text } = await call("GET", "available-routes");
      const { data } = JSON.parse(text) as { data: { method: string; path: string; idempotency?: true }[] };
      expect(data.filter(({ idempotency }) => idempotency).map(({ method, path }) => `${method} ${path}`)).toContain(
        "POST /api/orders",
      );
      expect(data.find(({ method, path }) => method === "GET" && path === "/api/orders")?.idempotency).toBeUndefined();
    });

    it("C49 are stored with at most 16 MB for one client: then a write is executed once, and a repetition is 409", async () => {
      const router = ServiceRouter();
      let runs = 0;
      router.post({ path: "/api/report", idempotency: true }, (_request, response) => {
        response.location("/api/report/1").json({ runs: ++runs, text: "x".repeat(1_000_000) });
      });
      const { call, rows, database } = await start({ use: [router], trustProxy: true });
      const from = (address: string, value: string) => ({ ...key(value), "x-forwarded-for": address });
      for (let index = 0; index < 20; index++)
        expect((await call("POST", "report", {}, from("192.0.2.1", `key${index}`))).status).toBe(200);
      expect(await rows("IdempotencyKey")).toBe(20);
      const stored = await database?.of("IdempotencyKey").findMany({ select: { response: true } });
      const bytes = (stored ?? []).reduce((sum, { response: reply }) => sum + String(reply).length, 0);
      expect(bytes).toBeLessThan(16.5 * 1024 * 1024);
      expect(await call("POST", "report", {}, from("192.0.2.1", "key0"))).toMatchObject({
        status: 200,
        replayed: "true",
      });
      const last = await call("POST", "report", {}, from("192.0.2.1", "key19"));
      expect([last.status, codeOf(last.text), last.headers.get("location")]).toEqual([
        409,
        "ResponseNotStored",
        "/api/report/1",
      ]);
      expect((await call("POST", "orders", { product: "tea" }, from("192.0.2.1", "order"))).status).toBe(201);
      const again = await call("POST", "orders", { product: "tea" }, from("192.0.2.1", "order"));
      expect([again.status, await rows("Order")]).toEqual([201, 1]);
      expect((await call("POST", "report", {}, from("198.51.100.1", "key0"))).status).toBe(200);
      const other = await call("POST", "report", {}, from("198.51.100.1", "key0"));
      expect([other.status, other.replayed]).toEqual([200, "true"]);
      expect(runs).toBe(21);
    });

    it("C49 are supported by a declared route, whose own errors are stored", async () => {
      let runs = 0;
      const router = ServiceRouter();
      router.post({ path: "/api/pay", idempotency: true }, (request, response) => {
        runs++;
        const { status } = request.body as { status: number };
        response.status(status).cookie("session", "secret").set("X-Paid", "yes").json({ runs });
      });
      router.post(
        { path: "/api/form", idempotency: true, bodyParser: [{ parser: "multipart" }] },
        (_request, response) => {
          response.json({ runs: ++runs });
        },
      );
      router.post({ path: "/api/other" }, (_request, response) => void response.json({ runs: ++runs }));
      const { call } = await start({ use: [router] });
      for (const [status, isKept] of [
        [200, true],
        [402, true],
        [404, true],
        [401, false],
        [403, false],
        [429, false],
        [500, false],
        [503, false],
      ] as const) {
        const own = key();
        const first = await call("POST", "pay", { status }, own);
        const second = await call("POST", "pay", { status }, own);
        expect([first.status, second.status, second.replayed], String(status)).toEqual([
          status,
          status,
          isKept ? "true" : null,
        ]);
        expect(second.text === first.text, String(status)).toBe(isKept);
        expect([second.headers.get("x-paid"), second.headers.get("set-cookie")]).toEqual(
          isKept ? ["yes", null] : ["yes", expect.stringContaining("secret")],
        );
      }
      const own = key();
      const [one, two] = [await call("POST", "other", {}, own), await call("POST", "other", {}, own)];
      expect(one.text).not.toBe(two.text);
      const form = { "content-type": "multipart/form-data; boundary=x" };
      const text = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n';
      expect((await call("POST", "form", text, form)).status).toBe(200);
      expect(codeOf((await call("POST", "form", text, { ...form, ...key() })).text)).toBe("IdempotencyKeyOfForm");
    });

    it("C49 in Redis are logged as weaker, and an unavailable Redis is 503", async () => {
      const { call } = await start({ idempotency: { store: "redis" }, redis: { url: "redis://127.0.0.1:1" } });
      expect(logText()).toMatch(/idempotency keys are stored in Redis/);
      const reported = await call("POST", "orders", { product: "tea" }, key());
      expect([reported.status, codeOf(reported.text)]).toEqual([503, "IdempotencyUnavailable"]);
      expect((await call("POST", "orders", { product: "tea" })).status).toBe(201);
    });
  });

  describe("C49 the owner of a key", () => {
    it("C49 another caller with the same key gets nothing of the response, nor does one with other permissions", async () => {
      const { call, rows, database, hashPassword } = await start(
        {
          authentication: { mode: "static", login: { allowedUsernames: ["email"] } },
          models: { Order: { auth: { all: true } } },
        },
        { JWT_SECRET: "0123456789abcdef0123456789abcdef" },
      );
      const password = await hashPassword("correct horse battery");
      const signIn = async (email: string) => {
        await database?.of("User").create({ data: { email, password } });
        const { text } = await call("POST", "auth/login", { email, password: "correct horse battery" });
        return { authorization: `Bearer ${(JSON.parse(text) as { accessToken: string }).accessToken}` };
      };
      const [ada, bea] = [await signIn("ada@x.de"), await signIn("bea@x.de")];
      const own = key();
      const order = { product: "tea" };
      expect((await call("POST", "orders", order)).status).toBe(401);
      expect(await call("POST", "orders", order, { ...own, ...ada })).toMatchObject({ status: 201, replayed: null });
      expect(await call("POST", "orders", order, { ...own, ...bea })).toMatchObject({ status: 201, replayed: null });
      expect(await call("POST", "orders", order, { ...own, ...ada })).toMatchObject({ status: 201, replayed: "true" });
      expect((await call("POST", "orders", order, own)).status).toBe(401);
      expect(await rows("Order")).toBe(2);
      await database?.of("User").update({ where: { email: "ada@x.de" }, data: { role: "GUEST" } });
      const reported = await call("POST", "orders", order, { ...own, ...ada });
      expect([reported.status, codeOf(reported.text)]).toEqual([422, "IdempotencyKeyReused"]);
      const [record] = (await database?.of("IdempotencyKey").findMany()) ?? [];
      expect(JSON.stringify(record)).not.toContain(own["idempotency-key"]);
    });

    it("C49 a caller whose permissions have changed gets no earlier response, and nothing is written again", async () => {
      const may = { now: ["View", "Create"] };
      const { call, rows } = await start({
        authentication: {
          mode: "dynamic",
          accounts: false,
          identify: ({ headers }) =>
            headers["x-ada"] === undefined
              ? undefined
              : { id: "ada", permissions: may.now.map((action) => ({ resource: "order", action })) },
        },
        models: { Order: { auth: { all: true } } },
      });
      const own = { ...key(), "x-ada": "1" };
      const order = { product: "tea" };
      expect(await call("POST", "orders", order, own)).toMatchObject({ status: 201, replayed: null });
      may.now.reverse();
      expect(await call("POST", "orders", order, own)).toMatchObject({ status: 201, replayed: "true" });
      for (const now of [["Create"], ["View", "Create", "Update"], []]) {
        may.now = now;
        const reported = await call("POST", "orders", order, own);
        expect([reported.status, reported.replayed], String(now)).toEqual([422, null]);
        expect(reported.text).not.toContain("tea");
      }
      may.now = ["View", "Create"];
      expect(await call("POST", "orders", order, own)).toMatchObject({ status: 201, replayed: "true" });
      expect(await rows("Order")).toBe(1);
    });
  });
});
