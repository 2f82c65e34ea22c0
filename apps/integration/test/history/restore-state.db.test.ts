import { randomUUID } from "node:crypto";
import { callerOf, type ModelConfig, type ServiceInitConfig } from "@servicekit/service";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { type Call, type Credentials, callerAt, historyTables, serveHistories } from "./serve-histories.js";

type Rule = NonNullable<NonNullable<ModelConfig["auth"]>["where"]>;

const everyRow: Rule = () => true;
const ownRows: Rule = (request) => ({ ownerId: Number(callerOf(request)?.id) });
/** The row rules of orders for all operations, and for updates; tests replace them. */
let rule: Rule = everyRow;
let updateRule: Rule = everyRow;
/** The bodies of updates of orders, before they are written. */
let hooked: unknown[] = [];

const fields = "id title status ownerId readers placedAt dueOn weight count digest ref data projectId lines project";
const configured: NonNullable<ServiceInitConfig["models"]> = {
  Order: {
    auth: {
      all: true,
      updateOne: { rule: ["MEMBER", "ADMIN"], where: (request) => updateRule(request) },
      where: (request) => rule(request),
      fields: {
        "*": [...fields.split(" "), "organizationId"],
        ADMIN: ["margin", "organization", "previousId", "previous", "next"],
      },
    },
    readonly: ["weight"],
    changes: { history: true },
    hooks: {
      beforeUpdateOne: (request, _response, next) => {
        hooked.push(request.body);
        next();
      },
    },
  },
  Project: { auth: { all: true } },
  Organization: { auth: { all: true } },
  Line: { auth: { all: true } },
  Paper: {
    auth: { all: true, createOne: ["ADMIN"], updateOne: ["ADMIN"] },
    changes: { history: true },
    query: { findOne: { omit: { draft: true }, where: { isPublished: true } } },
  },
  Ticket: {
    auth: { all: true, restoreOne: true, findDeleted: ["ADMIN"] },
    changes: { history: true },
    softDelete: true,
    schemas: { update: z.object({ title: z.string().max(5).optional(), rank: z.number().nullish() }) },
  },
  User: { auth: { all: true }, changes: { history: true } },
};

const { start, signUp, closeAll, client } = serveHistories(configured);

describe.each(["auto", "prisma"] as const)("C108 a state of a row with the engine %s", (engine) => {
  let call: Call;
  let ada: Credentials;
  let bob: Credentials;
  let admin: Credentials;
  const write = async (method: string, at: string, body?: unknown, status = method === "POST" ? 201 : 200) => {
    const sent = await call(admin, method, at, body);
    expect([sent.status, sent.body]).toEqual([method === "DELETE" ? 204 : status, sent.body]);
    return sent;
  };
  /** The ids of all changes of a row, oldest first. */
  const ids = async (key: string, model = "Order") =>
    (await client().change.findMany({ where: { model, key }, orderBy: { id: "asc" } })).map(({ id }) => String(id));
  const restore = (who: Credentials, at: string, change: string | undefined, headers: object = {}) =>
    call({ ...who, ...headers }, "POST", `${at}/history/${change}/restore`);

  beforeAll(async () => {
    call = callerAt((await start(engine, { idempotency: {} })).url);
  });
  afterAll(closeAll);
  beforeEach(async () => {
    rule = everyRow;
    updateRule = everyRow;
    hooked = [];
    await client().$executeRawUnsafe(emptyTables(...historyTables));
    ada = await signUp(call, "ada");
    bob = await signUp(call, "bob");
    admin = await signUp(call, "admin", { role: "ADMIN" });
    await client().change.deleteMany();
  });

  it("C108 writes the fields that differ, as an update that is recorded itself", async () => {
    await write("POST", "orders", { title: "a", ownerId: 1, margin: "1.50" });
    await write("PATCH", "orders/1", { title: "b", status: "PAID" });
    await write("PATCH", "orders/1", { title: "c", margin: "2.50" });
    const [first, second] = await ids("1");
    const { status, body, headers } = await restore(admin, "orders/1", first);
    expect([status, body.meta]).toEqual([
      200,
      { restored: ["title", "status", "margin"], notWritable: [], unknown: [] },
    ]);
    expect(body.data).toMatchObject({ id: 1, title: "a", status: "NEW", margin: "1.50", ownerId: 1 });
    const condition = { "if-match": headers.get("etag") ?? "" };
    expect((await call({ ...admin, ...condition }, "PATCH", "orders/1", { title: "a" })).status).toBe(200);
    const { data } = (await call(admin, "GET", "orders/1/history")).body;
    expect(data[0]).toMatchObject({ operation: "update", actor: "user:3", changed: ["title", "status", "margin"] });
    expect(hooked.at(-2)).toMatchObject({ title: "a", status: "NEW" });
    expect((await restore(admin, "orders/1", second)).body.data).toMatchObject({ title: "b", margin: "1.50" });
    const same = await restore(admin, "orders/1", second);
    expect([same.status, same.body.meta.restored]).toEqual([200, []]);
  });

  it("C108 restores values of every type exactly", async () => {
    await client().project.create({ data: {} });
    const date = "2026-01-31T08:30:00.000Z";
    const states: readonly object[] = [
      { title: "a", ownerId: 1, margin: "1.50", readers: [1], data: { b: [1, { a: null }], c: "x" } },
      { status: "PAID", readers: [1, 2], placedAt: date, dueOn: "2026-01-31T00:00:00.000Z" },
      { title: 'Ä\u0001"', ownerId: 2, margin: null, count: "9007199254740993", projectId: 1, data: [0.1, true] },
      { digest: "AQL/", readers: [], ref: "0b0f9d0e-5c1c-4a36-9b2e-6a1a8a9d2f41", data: "text" },
      { ownerId: null, status: "NEW", projectId: null, margin: "-1", data: null, count: null, digest: null },
    ];
    const seen: unknown[] = [];
    for (const [at, body] of states.entries()) {
      seen.push((await (at === 0 ? write("POST", "orders", body) : write("PATCH", "orders/1", body))).body.data);
    }
    const known = await ids("1");
    for (const at of [0, 3, 1, 4, 2, 0]) {
      const { status, body } = await restore(admin, "orders/1", known[at]);
      expect([status, body.data]).toEqual([200, seen[at]]);
      expect((await call(admin, "GET", "orders/1")).body.data).toEqual(seen[at]);
    }
  });

  it("C108 restores values that a trigger has recorded, and leaves equal ones", async () => {
    const values = { margin: "1.50", count: "9007199254740993", digest: "AQL/", dueOn: "2026-01-31T00:00:00.000Z" };
    const row = { title: "a", placedAt: "2026-01-31T08:30:00.250Z", ...values };
    await write("POST", "orders", row);
    await write("PATCH", "orders/1", { title: "b" });
    const [first = ""] = await ids("1");
    const record = (placedAt: string) =>
      client().$executeRawUnsafe(
        `UPDATE "Change" SET after = after || '{ "margin": 1.50, "count": 9007199254740993, "digest": "\\\\x0102ff", "dueOn": "2026-01-31", "placedAt": "${placedAt}" }'::jsonb WHERE id = ${first}`,
      );
    for (const [placedAt, restored] of [
      ["2026-01-31T08:30:00.25", ["title"]],
      ["2026-01-31T09:30:00.25+01:00", []],
      ["2026-01-31T08:30:00.250001", ["placedAt"]],
    ] as const) {
      await record(placedAt);
      const { status, body } = await restore(admin, "orders/1", first);
      expect([status, body.meta]).toEqual([200, { restored, notWritable: [], unknown: [] }]);
    }
    const { data: changes } = (await call(admin, "GET", "orders/1/history")).body;
    expect(changes.at(-1).after).toMatchObject({ ...values, placedAt: "2026-01-31T08:30:00.250001Z" });
    expect((await call(admin, "GET", "orders/1")).body.data).toMatchObject({
      ...row,
      placedAt: "2026-01-31T08:30:00.250001Z",
    });
  });

  it("C108 leaves fields that the caller may not read or write, and names those that he may read", async () => {
    await write("POST", "orders", { title: "a", margin: "1.50" });
    await write("PATCH", "orders/1", { title: "b", margin: "2.50" });
    await client().order.update({ where: { id: 1 }, data: { weight: 2, secret: "now" } });
    const [first] = await ids("1");
    const { status, body } = await restore(ada, "orders/1", first);
    expect([status, body.meta]).toEqual([200, { restored: ["title"], notWritable: ["weight"], unknown: [] }]);
    expect(await client().order.findFirst()).toMatchObject({ title: "a", weight: 2, secret: "now" });
    expect((await client().order.findFirst())?.margin?.toString()).toBe("2.5");
    const again = await restore(ada, "orders/1", first);
    expect([again.status, again.body.detail]).toEqual([
      403,
      "The caller may not write any field that differs from this state.",
    ]);
  });

  it("C108 leaves fields of users that grant permissions", async () => {
    await write("PATCH", "users/2", { email: undefined, organizationId: null });
    await client().user.update({ where: { id: 3 }, data: { isSuperUser: true } });
    await write("PATCH", "users/2", { role: "ADMIN" });
    await write("PATCH", "users/2", { role: "MEMBER" });
    const granting = (await ids("2", "User")).at(-2);
    expect((await restore(ada, "users/2", granting)).status).toBe(403);
    expect(await client().user.findUnique({ where: { id: 2 } })).toMatchObject({ role: "MEMBER" });
    expect((await restore(admin, "users/2", granting)).body.data.role).toBe("ADMIN");
  });

  it("C108 applies the row rules to the state, the current row and the result", async () => {
    await write("POST", "orders", { title: "a", ownerId: 1 });
    await write("PATCH", "orders/1", { title: "b", ownerId: 2 });
    await write("PATCH", "orders/1", { title: "c" });
    const [first, second] = await ids("1");
    rule = ownRows;
    const hidden = await restore(bob, "orders/1", first);
    expect([hidden.status, hidden.body.errors[0].path]).toEqual([404, "/changeId"]);
    const current = await restore(ada, "orders/1", first);
    expect([current.status, current.body.errors[0].path]).toEqual([404, "/id"]);
    expect((await restore(bob, "orders/1", second)).body.data.title).toBe("b");
    rule = everyRow;
    updateRule = ownRows;
    expect((await restore(bob, "orders/1", first)).status).toBe(403);
    expect((await restore(ada, "orders/1", first)).status).toBe(404);
    expect(await client().order.findFirst()).toMatchObject({ title: "b", ownerId: 2 });
  });

  it("C108 responds alike to changes of other rows, unknown changes and rows, and invalid ids", async () => {
    await write("POST", "orders", { title: "a", ownerId: 1 });
    await write("POST", "orders", { title: "other" });
    await write("POST", "papers", { year: 1, code: "a", text: "1", organizationId: (await organization()).id });
    const [first] = await ids("1");
    const [other] = await ids("2");
    const [paper] = await ids("1,a", "Paper");
    rule = ownRows;
    const { body } = await restore(ada, "orders/1", "999999");
    expect(body).toMatchObject({ status: 404, detail: "The history of this order has no state with this id." });
    for (const [at, change] of [
      ["orders/1", other],
      ["orders/1", paper],
      ["orders/1", "9223372036854775807"],
      ["orders/1", "9223372036854775806"],
      ["orders/1", "99999999999999999999999"],
      ["orders/1", "-1"],
      ["orders/1", "0"],
      ["orders/1", `0${first}`],
      ["orders/1", `${first}.0`],
      ["orders/1", "%00"],
      ["orders/1", "1%27"],
      ["orders/2", other],
      ["orders/3", first],
      ["orders/x", first],
      ["orders/many", first],
      ["orders/1%2C1", first],
    ] as const) {
      const sent = await restore(ada, at, change);
      expect([at, change, sent.status, sent.body.errors]).toEqual([at, change, 404, body.errors]);
    }
    expect((await restore({}, "orders/1", first)).status).toBe(401);
    expect((await restore(ada, "papers/1,a", paper)).status).toBe(403);
    expect((await call(ada, "POST", `orders/1/history/${first}/restore?title=x`)).status).toBe(400);
    expect((await call(ada, "GET", `orders/1/history/${first}/restore`)).status).toBe(405);
    expect((await restore(ada, "orders/1", first)).status).toBe(200);
  });

  const organization = () => client().organization.create({ data: { name: "one" } });

  it("C108 rejects values that the body could not contain now, and names the field", async () => {
    const made = await call(admin, "POST", "tickets", { id: "t/1", title: "a title", rank: 1 });
    expect(made.status).toBe(201);
    await write("PATCH", "tickets/t%2F1", { title: "short", rank: 2 });
    const [first] = await ids("t%2F1", "Ticket");
    const { status, body } = await restore(admin, "tickets/t%2F1", first);
    expect([status, body.errors.map(({ path }: { path: string }) => path)]).toEqual([400, ["/title"]]);
    expect(await client().ticket.findFirst()).toMatchObject({ title: "short", rank: 2 });
  });

  it("C108 rejects numbers in JSON that would be rounded", async () => {
    await write("POST", "orders", { title: "a" });
    await write("PATCH", "orders/1", { title: "b", data: { n: 1 } });
    const [first] = await ids("1");
    for (const data of ['{"n": 12345678901234567890.5}', '[{"n": 9007199254740993}, 1]', "12345678901234567890"]) {
      await client().$executeRawUnsafe(
        `UPDATE "Change" SET after = jsonb_set(after, '{data}', '${data}') WHERE id = ${first}`,
      );
      const { status, body } = await restore(admin, "orders/1", first);
      expect([data, status, body.errors?.map(({ path }: { path: string }) => path)]).toEqual([data, 400, ["/data"]]);
    }
    expect(await client().order.findFirst()).toMatchObject({ title: "b", data: { n: 1 } });
  });

  it("C108 rejects values of other types, and restores only fields of the row itself", async () => {
    await write("POST", "orders", { title: "a", readers: [1] });
    await write("PATCH", "orders/1", { title: "b" });
    const [first] = await ids("1");
    const tamper = (state: string) =>
      client().$executeRawUnsafe(`UPDATE "Change" SET after = after || '${state}' WHERE id = ${first}`);
    for (const [state, path] of [
      ['{"margin": {"increment": 5}}', "/margin"],
      ['{"margin": null, "readers": {"push": 1}}', "/readers"],
      ['{"readers": [1], "status": "PAYED"}', "/status"],
      ['{"status": "NEW", "title": {"set": "x"}}', "/title"],
    ] as const) {
      await tamper(state);
      const { status, body } = await restore(admin, "orders/1", first);
      expect([state, status, body.errors?.[0].path]).toEqual([state, 400, path]);
    }
    await tamper('{"title": "a", "id": 7, "secret": "x", "lines": [{"text": "x"}], "__proto__": {"title": "y"}}');
    const { status, body } = await restore(admin, "orders/1", first);
    expect([status, body.meta.restored, body.data.id]).toEqual([200, ["title"], 1]);
    expect(await client().order.findFirst({ include: { lines: true } })).toMatchObject({ secret: null, lines: [] });
  });

  it("C108 writes only the fields of a schema of the module, and leaves the time of the update", async () => {
    await write("POST", "tickets", { id: "t", title: "a", rank: 1, code: "x" });
    await client().ticket.update({ where: { id: "t" }, data: { code: "y", rank: 3, score: 5 } });
    const [first] = await ids("t", "Ticket");
    const { status, body } = await restore(ada, "tickets/t", first);
    expect([status, body.meta]).toEqual([200, { restored: ["rank"], notWritable: ["code", "score"], unknown: [] }]);
    expect(body.data).toMatchObject({ rank: 1, code: "y", score: 5 });
  });

  it("C108 ignores and names recorded fields that the model no longer has", async () => {
    await write("POST", "orders", { title: "a" });
    await write("PATCH", "orders/1", { title: "b" });
    await client().$executeRawUnsafe(
      `UPDATE "Change" SET after = after || '{"colour": "red"}' WHERE operation = 'create'`,
    );
    const [first] = await ids("1");
    expect((await restore(ada, "orders/1", first)).body.meta).toEqual({
      ...{ restored: ["title"], notWritable: [], unknown: [] },
    });
    const { status, body } = await restore(admin, "orders/1", first);
    expect([status, body.meta.unknown]).toEqual([200, ["colour"]]);
  });

  it("C108 responds with 409 if a related row no longer exists, unless the reference is the current one", async () => {
    await client().project.createMany({ data: [{}, {}] });
    await write("POST", "orders", { title: "a", projectId: 1 });
    await write("PATCH", "orders/1", { title: "b" });
    await write("PATCH", "orders/1", { title: "c", projectId: 2 });
    await client().project.delete({ where: { id: 1 } });
    const [first] = await ids("1");
    for (const given of [everyRow, ownRows]) {
      rule = given;
      await client().order.updateMany({ data: { ownerId: 3 } });
      await client().$executeRawUnsafe(`UPDATE "Change" SET after = after || '{"ownerId": 3}'`);
      const { status, body } = await restore(admin, "orders/1", first);
      expect([status, body.code, body.errors[0].path]).toEqual([409, "ForeignKeyConstraint", "/projectId"]);
    }
    expect(await client().order.findFirst()).toMatchObject({ title: "c", projectId: 2 });
  });

  it("C108 supports If-Match and Idempotency-Key", async () => {
    await write("POST", "orders", { title: "a" });
    const tag = (await call(admin, "GET", "orders/1")).headers.get("etag");
    await write("PATCH", "orders/1", { title: "b" });
    const [first] = await ids("1");
    expect((await restore(admin, "orders/1", first, { "if-match": tag })).status).toBe(412);
    expect((await restore(admin, "orders/1", first, { "if-match": "x" })).status).toBe(400);
    const now = (await call(admin, "GET", "orders/1")).headers.get("etag");
    expect((await restore(admin, "orders/1", first, { "if-match": now })).status).toBe(200);
    await write("PATCH", "orders/1", { title: "c" });
    const key = { "idempotency-key": randomUUID() };
    const sent = await restore(admin, "orders/1", first, key);
    await write("PATCH", "orders/1", { title: "d" });
    const repeated = await restore(admin, "orders/1", first, key);
    expect([repeated.status, repeated.body]).toEqual([200, sent.body]);
    expect(await client().order.findFirst()).toMatchObject({ title: "d" });
  });

  it("C108 creates a deleted row again if bodies can set its id", async () => {
    const { id } = await organization();
    await write("POST", "papers", { year: 1, code: "a,b", text: "1", draft: "x", organizationId: id });
    await write("PATCH", "papers/1,a%2Cb", { text: "2" });
    await write("DELETE", "papers/1,a%2Cb");
    const known = await ids("1,a%2Cb", "Paper");
    expect((await restore(ada, "papers/1,a%2Cb", known[2])).status).toBe(403);
    expect((await restore(admin, "papers/1,a%2Cb", known[2], { "if-match": '"x"' })).status).toBe(412);
    const { status, body, headers } = await restore(admin, "papers/1,a%2Cb", known[2]);
    expect([status, headers.get("location")]).toEqual([201, "/api/papers/1,a%2Cb"]);
    expect(body.data).toMatchObject({ year: 1, code: "a,b", text: "2", organizationId: id });
    expect((await restore(admin, "papers/1,a%2Cb", known[0])).body.data.text).toBe("1");
    const { data } = (await call(admin, "GET", "papers/1,a%2Cb/history")).body;
    expect(data.map(({ operation }: { operation: string }) => operation)).toEqual([
      ...["update", "create", "delete", "update", "create"],
    ]);
    await write("DELETE", "papers/1,a%2Cb");
    await client().organization.deleteMany();
    const gone = await restore(admin, "papers/1,a%2Cb", known[2]);
    expect([gone.status, gone.body.code]).toEqual([409, "ForeignKeyConstraint"]);
  });

  it("C108 responds with 409 to a deleted row that must be restored first, or whose id the database sets", async () => {
    await write("POST", "orders", { title: "a" });
    await write("DELETE", "orders/1");
    const order = await restore(admin, "orders/1", (await ids("1")).at(-1));
    expect([order.status, order.body.code, order.body.detail]).toEqual([
      ...[409, "RowDeleted"],
      "The record is deleted and cannot be created again, because bodies cannot set its id.",
    ]);
    await write("POST", "tickets", { id: "t", title: "a", rank: 1 });
    await write("PATCH", "tickets/t", { title: "b" });
    await write("DELETE", "tickets/t");
    const [first] = await ids("t", "Ticket");
    expect(await restore(ada, "tickets/t", first)).toMatchObject({ status: 404, body: { code: "NotFound" } });
    const ticket = await restore(admin, "tickets/t", first);
    expect([ticket.status, ticket.body.code, ticket.body.detail]).toEqual([
      ...[409, "RowDeleted"],
      "The record is deleted. Restore the record first, then its state.",
    ]);
    expect((await call(ada, "POST", "tickets/t/restore")).status).toBe(200);
    expect((await restore(ada, "tickets/t", first)).body.data).toMatchObject({ title: "a", deletedAt: null });
  });

  it("C108 leaves one of the states, whole, when many requests restore and update concurrently", async () => {
    await write("POST", "orders", { title: "0", status: "NEW", ownerId: 0, count: "0" });
    const state = (n: number) => ({
      title: `${n}`,
      status: n % 2 === 0 ? "NEW" : "PAID",
      ownerId: n,
      count: `${n % 3}`,
    });
    for (let n = 1; n < 4; n++) await write("PATCH", "orders/1", state(n));
    const known = await ids("1");
    for (let round = 0; round < 5; round++) {
      const sent = await Promise.all(
        Array.from({ length: 24 }, (_, n) =>
          n % 6 === 5 ? call(admin, "PATCH", "orders/1", state(n % 4)) : restore(admin, "orders/1", known[n % 4]),
        ),
      );
      expect(sent.filter(({ status, body }) => status !== 200 && body.code !== "WriteConflict")).toEqual([]);
      expect(sent.filter(({ status }) => status === 200).length).toBeGreaterThan(4);
      const { title } = (await call(admin, "GET", "orders/1")).body.data;
      expect((await call(admin, "GET", "orders/1")).body.data).toMatchObject(state(Number(title)));
    }
    const { data } = (await call(admin, "GET", "orders/1/history?limit=100")).body;
    for (const { after } of data) expect(after).toMatchObject(state(Number(after.title)));
  });
});

describe("C108 a service", () => {
  afterAll(closeAll);
  it("C108 documents and lists the routes that restore states", async () => {
    const service = await start("auto");
    const { paths } = JSON.parse(JSON.stringify(await service.openapi()));
    const path = "/api/orders/{id}/history/{changeId}/restore";
    expect(Object.keys(paths).filter((one) => one.endsWith("/{changeId}/restore"))).toContain(path);
    const { post } = paths[path];
    expect(post.requestBody).toBeUndefined();
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(["200", "201", "404", "409"]));
    expect(JSON.stringify(post.responses["200"])).toContain("OrderRestoredState");
    await closeAll();
    const readOnly = await start("auto", {
      models: {
        ...configured,
        Order: { auth: { all: true }, operations: { updateOne: false }, changes: { history: true } },
      },
    });
    const document = JSON.parse(JSON.stringify(await readOnly.openapi()));
    expect(document.paths[path]).toBeUndefined();
    expect(document.paths["/api/orders/{id}/history"]).toBeDefined();
  });
});
