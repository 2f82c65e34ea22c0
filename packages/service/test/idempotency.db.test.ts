import { randomUUID } from "node:crypto";
import { makeDatabaseKeys, readKeyModel } from "@servicekit/idempotency";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type Database, ServiceRouter } from "../src/index.js";
import { makeOrders } from "./serve-orders.js";

const shared = makeOrders();
let plain: Awaited<ReturnType<typeof shared.start>>;
beforeAll(async () => {
  plain = await shared.start({ timeouts: { poolWait: 120_000, request: 170_000 } });
});
afterAll(shared.close);

const { start, close, logText } = makeOrders();
afterEach(close);

const key = (value: string = randomUUID()) => ({ "idempotency-key": value });
const codeOf = (text: string): unknown => (JSON.parse(text) as { code?: unknown }).code;

describe("C49 a write with an Idempotency-Key", () => {
  it.each([
    ["auto", "sql"],
    ["prisma", "prisma"],
  ] as const)(
    "C49 is executed once with database.engine %s: its response is replayed with status, headers and body",
    async (engine, expected) => {
      const { ask, rows, database } = await start({ database: { engine } });
      expect(database?.engines.get("Order")?.engine).toBe(expected);
      await ask("POST", "orders/many", [{ product: "a" }, { product: "b" }, { product: "c" }]);
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
        const first = await ask(method, target, body, own);
        const before = await rows("Order");
        const second = await ask(method, target, body, own);
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

  it("C49 with another body, path or method is 422, and changes nothing", async () => {
    const { ask, rows } = plain;
    const own = key();
    const first = await ask("POST", "orders", { product: "oolong" }, own);
    expect(first.status).toBe(201);
    const path = first.headers.get("location")?.replace("/api/", "") ?? "";
    for (const [method, target, body] of [
      ["POST", "orders", { product: "milk" }],
      ["POST", "orders?fields=id", { product: "oolong" }],
      ["PATCH", path, { product: "oolong" }],
      ["DELETE", path, undefined],
    ] as const) {
      const told = await ask(method, target, body, own);
      expect([told.status, codeOf(told.text)], `${method} ${target}`).toEqual([422, "IdempotencyKeyReused"]);
    }
    expect(await rows("Order", { product: "oolong" })).toBe(1);
  });

  it("C49 sent 200 times at once is one write; the others are told to wait, or get its answer", async () => {
    const { ask, rows } = plain;
    const own = key();
    const all = await Promise.all(Array.from({ length: 200 }, () => ask("POST", "orders", { product: "race" }, own)));
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
    expect(await ask("POST", "orders", { product: "race" }, own)).toMatchObject({ status: 201, replayed: "true" });
  });

  it("C49 that is refused has written nothing: it is carried out when it is sent again", async () => {
    const { ask, rows } = await start();
    const own = key();
    const body = { product: "tea", customerId: 1 };
    expect(codeOf((await ask("POST", "orders", body, own)).text)).toBe("RelatedRecordNotFound");
    expect((await ask("POST", "orders", { product: 5 }, key())).status).toBe(400);
    expect(await rows("IdempotencyKey")).toBe(0);
    await ask("POST", "customers", { name: "Ada" });
    expect(await ask("POST", "orders", body, own)).toMatchObject({ status: 201, replayed: null });
    const bulk = [{ name: "Ada" }, { name: "Bea" }];
    const told = await ask("POST", "customers/many", bulk, own);
    expect(told.status).toBe(422);
    const refused = await ask("POST", "customers/many", bulk, key());
    expect(JSON.parse(refused.text)).toMatchObject({ code: "UniqueConstraint", errors: [{ path: "/0/name" }] });
  });

  it("C49 and its record stand or fall together: a claim that somebody else took over undoes the write", async () => {
    const { ask, rows, database } = await start({
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
    const told = await ask("POST", "orders", { product: "tea" }, key());
    expect([told.status, codeOf(told.text)]).toEqual([409, "RequestInProgress"]);
    expect(await rows("Order")).toBe(0);
  });

  it("C49 is replayed as the after hooks have answered it, which run once", async () => {
    let hooks = 0;
    const { ask } = await start({
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
    const first = await ask("POST", "orders", { product: "tea" }, own);
    const second = await ask("POST", "orders", { product: "tea" }, own);
    expect(first.text).toContain("changed");
    expect(second).toMatchObject({ text: first.text, replayed: "true" });
    expect(second.headers.get("x-made")).toBe("by hook");
    expect(hooks).toBe(2);
  });

  it("C49 whose process has ended is carried out when its lease is over", async () => {
    const { ask, rows, database } = plain;
    const keys = database?.of("IdempotencyKey");
    await keys?.deleteMany({ where: {}, everything: true });
    const own = key();
    await ask("POST", "orders", { product: "lease" }, own);
    // As it stands when the process has claimed it and is gone.
    const data = { answer: null, expiresAt: new Date(Date.now() + 60_000) };
    await keys?.updateMany({ where: {}, data, select: { id: true }, everything: true });
    expect((await ask("POST", "orders", { product: "lease" }, own)).status).toBe(409);
    await keys?.updateMany({ where: {}, data: { expiresAt: new Date(0) }, select: { id: true }, everything: true });
    expect(await ask("POST", "orders", { product: "lease" }, own)).toMatchObject({ status: 201, replayed: null });
    expect(await rows("Order", { product: "lease" })).toBe(2);
  });

  it("C49 leaves a row that is swept when its day is over, and not before", async () => {
    const { ask, database } = plain;
    const model = database && readKeyModel(database.models);
    if (model === undefined) throw new Error("The schema has the model.");
    const [keys, rows] = [makeDatabaseKeys(database as Database, model), database?.of(model)];
    await keys.sweep();
    const before = (await rows?.count()) ?? 0;
    await ask("POST", "orders", { product: "swept" }, key());
    expect([await keys.sweep(), await rows?.count()]).toEqual([0, before + 1]);
    const kept = (await rows?.findMany({ orderBy: { expiresAt: "desc" }, take: 1 }))?.[0];
    const hours = (Number(kept?.expiresAt) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    await rows?.update({ where: { id: kept?.id }, data: { expiresAt: new Date(0) }, select: { id: true } });
    expect([await keys.sweep(), await rows?.count()]).toEqual([1, before]);
  });

  it("C49 with an answer longer than what is kept is carried out once all the same, and says so", async () => {
    const { ask, rows } = await start({ limits: { body: "8mb", bodyValues: 100_000 } });
    const own = key();
    const body = Array.from({ length: 300 }, () => ({ product: "x".repeat(5_000) }));
    expect((await ask("POST", "orders/many", body, own)).status).toBe(201);
    const again = await ask("POST", "orders/many", body, own);
    expect([again.status, codeOf(again.text)]).toEqual([409, "AnswerNotKept"]);
    expect(await rows("Order")).toBe(300);
  });

  it("C49 names a bad key", async () => {
    const { ask, rows } = plain;
    for (const bad of ["", "with blank", "x".repeat(256), "a, b"]) {
      const told = await ask("POST", "orders", { product: "bad" }, key(bad));
      expect([told.status, codeOf(told.text)], bad).toEqual([400, "InvalidIdempotencyKey"]);
    }
    expect(await rows("Order", { product: "bad" })).toBe(0);
  });
});

describe("C49 keys and what is around them", () => {
  it("C49 no route shows or makes keys, and no document names them", async () => {
    const { ask, openapi } = plain;
    expect((await ask("GET", "idempotency-keys")).status).toBe(404);
    expect((await ask("POST", "idempotency-keys", {})).status).toBe(404);
    const { paths } = (await openapi()) as { paths: Record<string, Record<string, { parameters?: object[] }>> };
    expect(Object.keys(paths).filter((path) => path.includes("idempotency"))).toEqual([]);
    const parameters = (method: string) => JSON.stringify(paths["/api/orders"]?.[method]?.parameters);
    expect(parameters("post")).toMatch(/Idempotency-?Key/);
    expect(parameters("get")).not.toMatch(/Idempotency/);
    const { text } = await ask("GET", "available-routes");
    const { data } = JSON.parse(text) as { data: { method: string; path: string; idempotency?: true }[] };
    expect(data.filter(({ idempotency }) => idempotency).map(({ method, path }) => `${method} ${path}`)).toContain(
      "POST /api/orders",
    );
    expect(data.find(({ method, path }) => method === "GET" && path === "/api/orders")?.idempotency).toBeUndefined();
  });

  it("C49 stores at most 16 MB for one client: then a write is carried out once, and a repetition is 409", async () => {
    const router = ServiceRouter();
    let runs = 0;
    router.post({ path: "/api/report", idempotency: true }, (_request, response) => {
      response.location("/api/report/1").json({ runs: ++runs, text: "x".repeat(1_000_000) });
    });
    const { ask, rows, database } = await start({ use: [router], trustProxy: true });
    const from = (address: string, value: string) => ({ ...key(value), "x-forwarded-for": address });
    for (let index = 0; index < 20; index++)
      expect((await ask("POST", "report", {}, from("192.0.2.1", `key${index}`))).status).toBe(200);
    expect(await rows("IdempotencyKey")).toBe(20);
    const stored = await database?.of("IdempotencyKey").findMany({ select: { answer: true } });
    const bytes = (stored ?? []).reduce((sum, { answer }) => sum + String(answer).length, 0);
    expect(bytes).toBeLessThan(16.5 * 1024 * 1024);
    expect(await ask("POST", "report", {}, from("192.0.2.1", "key0"))).toMatchObject({ status: 200, replayed: "true" });
    const last = await ask("POST", "report", {}, from("192.0.2.1", "key19"));
    expect([last.status, codeOf(last.text), last.headers.get("location")]).toEqual([
      409,
      "AnswerNotKept",
      "/api/report/1",
    ]);
    expect((await ask("POST", "orders", { product: "tea" }, from("192.0.2.1", "order"))).status).toBe(201);
    const again = await ask("POST", "orders", { product: "tea" }, from("192.0.2.1", "order"));
    expect([again.status, await rows("Order")]).toEqual([201, 1]);
    expect((await ask("POST", "report", {}, from("198.51.100.1", "key0"))).status).toBe(200);
    const other = await ask("POST", "report", {}, from("198.51.100.1", "key0"));
    expect([other.status, other.replayed]).toEqual([200, "true"]);
    expect(runs).toBe(21);
  });

  it("C49 a declared route says that it takes keys, and its own refusals are kept", async () => {
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
    const { ask } = await start({ use: [router] });
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
      const first = await ask("POST", "pay", { status }, own);
      const second = await ask("POST", "pay", { status }, own);
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
    const [one, two] = [await ask("POST", "other", {}, own), await ask("POST", "other", {}, own)];
    expect(one.text).not.toBe(two.text);
    const form = { "content-type": "multipart/form-data; boundary=x" };
    const text = '--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--x--\r\n';
    expect((await ask("POST", "form", text, form)).status).toBe(200);
    expect(codeOf((await ask("POST", "form", text, { ...form, ...key() })).text)).toBe("IdempotencyKeyOfForm");
  });

  it("C49 keys in Redis are said to be weaker, and a Redis that is away is 503", async () => {
    const { ask } = await start({ idempotency: { store: "redis" }, redis: { url: "redis://127.0.0.1:1" } });
    expect(logText()).toMatch(/idempotency keys are kept in Redis/);
    const told = await ask("POST", "orders", { product: "tea" }, key());
    expect([told.status, codeOf(told.text)]).toEqual([503, "IdempotencyUnavailable"]);
    expect((await ask("POST", "orders", { product: "tea" })).status).toBe(201);
  });
});

describe("C49 whose key it is", () => {
  it("C49 another caller with the same key gets nothing of the answer, and neither does one with other rights", async () => {
    const { ask, rows, database, hashPassword } = await start(
      {
        authentication: { mode: "static", login: { allowedUsernames: ["email"] } },
        models: { Order: { auth: { all: true } } },
      },
      { JWT_SECRET: "0123456789abcdef0123456789abcdef" },
    );
    const password = await hashPassword("correct horse battery");
    const signIn = async (email: string) => {
      await database?.of("User").create({ data: { email, password } });
      const { text } = await ask("POST", "auth/login", { email, password: "correct horse battery" });
      return { authorization: `Bearer ${(JSON.parse(text) as { accessToken: string }).accessToken}` };
    };
    const [ada, bea] = [await signIn("ada@x.de"), await signIn("bea@x.de")];
    const own = key();
    const order = { product: "tea" };
    expect((await ask("POST", "orders", order)).status).toBe(401);
    expect(await ask("POST", "orders", order, { ...own, ...ada })).toMatchObject({ status: 201, replayed: null });
    expect(await ask("POST", "orders", order, { ...own, ...bea })).toMatchObject({ status: 201, replayed: null });
    expect(await ask("POST", "orders", order, { ...own, ...ada })).toMatchObject({ status: 201, replayed: "true" });
    expect((await ask("POST", "orders", order, own)).status).toBe(401);
    expect(await rows("Order")).toBe(2);
    await database?.of("User").update({ where: { email: "ada@x.de" }, data: { role: "GUEST" } });
    const told = await ask("POST", "orders", order, { ...own, ...ada });
    expect([told.status, codeOf(told.text)]).toEqual([422, "IdempotencyKeyReused"]);
    const [record] = (await database?.of("IdempotencyKey").findMany()) ?? [];
    expect(JSON.stringify(record)).not.toContain(own["idempotency-key"]);
  });

  it("C49 a caller who may something else by now is shown no answer from before, and nothing is written again", async () => {
    const may = { now: ["View", "Create"] };
    const { ask, rows } = await start({
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
    expect(await ask("POST", "orders", order, own)).toMatchObject({ status: 201, replayed: null });
    may.now.reverse();
    expect(await ask("POST", "orders", order, own)).toMatchObject({ status: 201, replayed: "true" });
    for (const now of [["Create"], ["View", "Create", "Update"], []]) {
      may.now = now;
      const told = await ask("POST", "orders", order, own);
      expect([told.status, told.replayed], String(now)).toEqual([422, null]);
      expect(told.text).not.toContain("tea");
    }
    may.now = ["View", "Create"];
    expect(await ask("POST", "orders", order, own)).toMatchObject({ status: 201, replayed: "true" });
    expect(await rows("Order")).toBe(1);
  });
});
