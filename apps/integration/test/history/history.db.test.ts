import servicekit, { callerOf, type ModelConfig, type ServiceInitConfig } from "@servicekit/service";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import type { PrismaClient } from "../generated/history/client/client.js";
import { type Call, type Credentials, callerAt, serveHistories, historyTables as tables } from "./serve-histories.js";

const contextOf = servicekit.context<PrismaClient>();

type Rule = NonNullable<NonNullable<ModelConfig["auth"]>["where"]>;

const everyRow: Rule = () => true;
/** The row rule of orders; tests replace it. */
let rule: Rule = everyRow;
const ownRows: Rule = (request) => ({ ownerId: Number(callerOf(request)?.id) });

const fields =
  "id title status previousId secret ownerId readers placedAt dueOn weight count digest ref data projectId lines project";
const open = { all: true } as const;
const configured: NonNullable<ServiceInitConfig["models"]> = {
  Order: {
    auth: {
      all: true,
      where: (request) => rule(request),
      fields: { "*": [...fields.split(" "), "organizationId"], ADMIN: ["margin"] },
    },
    changes: { history: true },
    page: { default: 3, max: 50 },
  },
  Line: { auth: open, changes: true },
  Project: { auth: open },
  Organization: { auth: open },
  Paper: {
    auth: { write: true, read: ["ADMIN"] },
    changes: { history: true },
    query: { findOne: { omit: { draft: true }, where: { isPublished: true } } },
  },
};

const { start, signUp, closeAll, client } = serveHistories(configured);

describe.each(["auto", "prisma"] as const)("C107 the history of a row with the engine %s", (engine) => {
  let call: Call;
  let app: Awaited<ReturnType<typeof start>>["app"];
  let ada: Credentials;
  let bob: Credentials;
  let admin: Credentials;
  const history = (who: Credentials, query = "", at = "orders/1") => call(who, "GET", `${at}/history${query}`);
  const write = async (method: string, at: string, body?: unknown, status = method === "POST" ? 201 : 200) => {
    const sent = await call(admin, method, at, body);
    expect([sent.status, sent.body]).toEqual([method === "DELETE" ? 204 : status, sent.body]);
  };
  /** The visible states, newest first. */
  const states = async (who: Credentials, name: string, path?: string) => {
    const { status, body } = await history(who, "", path);
    expect(status).toBe(200);
    return (body.data as Record<string, Record<string, unknown> | null>[]).map(({ before, after }) => [
      before?.[name] ?? null,
      after?.[name] ?? null,
    ]);
  };

  beforeAll(async () => {
    const service = await start(engine);
    app = service.app;
    call = callerAt(service.url);
  });
  afterAll(closeAll);
  beforeEach(async () => {
    rule = everyRow;
    await client().$executeRawUnsafe(emptyTables(...tables));
    ada = await signUp(call, "ada");
    bob = await signUp(call, "bob");
    admin = await signUp(call, "admin", { role: "ADMIN" });
  });

  it("C107 returns who changed which field, newest first", async () => {
    await write("POST", "orders", { title: "a", ownerId: 1, margin: "1.50" });
    await write("PATCH", "orders/1", { title: "b" });
    await write("DELETE", "orders/1");
    const { status, body } = await history(admin);
    expect(status).toBe(200);
    expect(body.meta).toEqual({ count: 3, limit: 3, page: 1, hasMore: false });
    expect(
      body.data.map(({ operation, actor, changed }: Record<string, unknown>) => [operation, actor, changed]),
    ).toEqual([
      ["delete", "user:3", []],
      ["update", "user:3", ["title"]],
      ["create", "user:3", []],
    ]);
    const [last, change, first] = body.data;
    expect(Object.keys(change)).toEqual("id time operation actor requestId changed before after".split(" "));
    expect(change.id).toMatch(/^\d+$/);
    expect(change.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(change.requestId).toEqual(expect.any(String));
    expect(change.before).toMatchObject({ id: 1, title: "a", margin: "1.50", status: "NEW" });
    expect(change.after).toMatchObject({ id: 1, title: "b" });
    expect([first.before, last.after]).toEqual([null, null]);
  });

  it("C107 leaves out hidden fields, fields of other roles, and changes of only such fields", async () => {
    await write("POST", "orders", { title: "a", margin: "1.50" });
    await write("PATCH", "orders/1", { margin: "2.50" });
    await write("PATCH", "orders/1", { title: "b", margin: "3.50" });
    await contextOf({ app })
      .database.of("Order")
      .update({ where: { id: 1 }, data: { secret: "hidden" } });
    await write("PATCH", "orders/1", { title: "b" });
    const seen = await history(ada);
    expect(seen.body.data.map(({ changed }: { changed: unknown }) => changed)).toEqual([["title"], []]);
    expect(seen.text).not.toMatch(/margin|secret|hidden/);
    const all = await history(admin);
    expect(all.body.data.map(({ changed }: { changed: unknown }) => changed)).toEqual([
      ["title", "margin"],
      ["margin"],
      [],
    ]);
    expect(all.text).not.toMatch(/secret|hidden/);
  });

  it("C107 shows each owner the states of the row while it was theirs", async () => {
    await write("POST", "orders", { title: "a", ownerId: 1 });
    await write("PATCH", "orders/1", { title: "b" });
    await write("PATCH", "orders/1", { title: "c", ownerId: 2 });
    await write("PATCH", "orders/1", { title: "d" });
    await write("DELETE", "orders/1");
    rule = ownRows;
    expect(await states(ada, "title")).toEqual([
      ["b", null],
      ["a", "b"],
      [null, "a"],
    ]);
    expect(await states(bob, "title")).toEqual([
      ["d", null],
      ["c", "d"],
      [null, "c"],
    ]);
    expect((await history(admin)).status).toBe(404);
    rule = () => false;
    expect((await history(ada)).status).toBe(404);
  });

  it("C107 fills pages with visible changes only", async () => {
    await write("POST", "orders", { title: "0", ownerId: 1 });
    for (let n = 1; n <= 12; n++) {
      await write("PATCH", "orders/1", { title: `${n}` });
      await write("PATCH", "orders/1", { ownerId: 2 });
      await write("PATCH", "orders/1", { title: `of bob ${n}` });
      await write("PATCH", "orders/1", { ownerId: 1, title: `${n}` });
    }
    rule = ownRows;
    const pages = await Promise.all([1, 2, 3, 8, 9].map((page) => history(ada, `?page=${page}&limit=5`)));
    const meta = (page: number, count: number, hasMore: boolean) => ({ count, limit: 5, page, hasMore });
    expect(pages.map(({ body }) => body.meta)).toEqual([
      meta(1, 5, true),
      meta(2, 5, true),
      meta(3, 5, true),
      meta(8, 2, false),
      meta(9, 0, false),
    ]);
    expect(pages[0]?.text).not.toContain("of bob");
    expect(pages[1]?.headers.get("link")).toBe(
      ["1", "1", "3"]
        .map((page, index) => `</api/orders/1/history?limit=5&page=${page}>; rel="${["first", "prev", "next"][index]}"`)
        .join(", "),
    );
    const ids = pages.flatMap(({ body }) => body.data.map(({ id }: { id: string }) => Number(id)));
    expect(new Set(ids).size).toBe(17);
    expect([...ids].sort((a, b) => b - a)).toEqual(ids);
    expect((await history(ada, "?limit=37")).body.meta).toEqual({ count: 37, limit: 37, page: 1, hasMore: false });
    const tag = pages[0]?.headers.get("etag") ?? "";
    expect((await call({ ...ada, "if-none-match": tag }, "GET", "orders/1/history?page=1&limit=5")).status).toBe(304);
  });

  it("C107 responds like a read to unknown rows, wrong parameters and missing rights", async () => {
    await write("POST", "orders", { title: "a" });
    const missing = await call(ada, "GET", "orders/9");
    for (const at of ["orders/9", "orders/x", "orders/many"]) {
      const { status, body } = await history(ada, "", at);
      expect([status, body.detail, body.errors]).toEqual([404, missing.body.detail, missing.body.errors]);
    }
    for (const [query, name] of [
      ["?page=0", "/page"],
      ["?limit=51", "/limit"],
      ["?limit=1&limit=2", "/limit"],
      ["?fields=id", "/fields"],
      ["?title=a", "/title"],
    ] as const) {
      const { status, body } = await history(ada, query);
      expect([query, status, body.errors?.map((one: { path: string }) => one.path)]).toEqual([query, 400, [name]]);
    }
    expect((await history({})).status).toBe(401);
    expect((await history(ada, "", "papers/1,a")).status).toBe(403);
    expect((await call(ada, "POST", "orders/1/history", {})).status).toBe(405);
    expect((await history(ada, "", "lines/1")).status).toBe(404);
    await client().change.deleteMany();
    expect((await history(ada)).body.data).toEqual([]);
  });

  it("C107 applies the default options of reads, also to administrators, and reads compound keys", async () => {
    await client().organization.create({ data: { name: "one" } });
    await write("POST", "papers", { year: 1, code: "a,b", text: "1", draft: "x", organizationId: 1 });
    await write("PATCH", "papers/1,a%2Cb", { draft: "y" });
    await write("PATCH", "papers/1,a%2Cb", { text: "2", isPublished: false });
    await client().paper.updateMany({ data: { isPublished: true } });
    const { body, text } = await history(admin, "", "papers/1,a%2Cb");
    expect(
      body.data.map(({ before, after }: Record<string, { text: string } | null>) => [before?.text, after?.text]),
    ).toEqual([
      ["1", undefined],
      [undefined, "1"],
    ]);
    expect(text).not.toContain("draft");
    await client().user.update({ where: { username: "ada" }, data: { isSuperUser: true } });
    expect((await history(ada, "", "papers/1,a%2Cb")).body).toEqual(body);
  });

  /** Filters with the states that they match, as the database decided after each write. */
  const filters: readonly Readonly<Record<string, unknown>>[] = [
    { title: "a" },
    { title: { contains: "B", mode: "insensitive" } },
    { NOT: { title: { startsWith: "a" } } },
    { status: "PAID" },
    { status: { in: ["NEW"] } },
    { margin: { gt: "1.5" } },
    { NOT: { margin: { gt: 1 } } },
    { margin: null },
    { ownerId: { in: [1, 3] } },
    { readers: { has: 2 } },
    { OR: [{ readers: { isEmpty: true } }, { readers: { equals: null } }] },
    { placedAt: { gte: new Date("2026-01-31T08:30:00.000Z") } },
    { placedAt: { equals: new Date("2026-01-31T08:30:00.000Z") } },
    { dueOn: { lt: new Date("2026-02-01T00:00:00.000Z") } },
    { weight: { gt: 0.1 } },
    { weight: 0.1 },
    { count: 9007199254740993n },
    { digest: new Uint8Array([1, 2, 255]) },
    { ref: "0b0f9d0e-5c1c-4a36-9b2e-6a1a8a9d2f41" },
    { project: { is: { isOpen: true } } },
    { project: { isNot: { isOpen: true } } },
    { project: null },
    { OR: [{ ownerId: 2 }, { project: { isOpen: true } }] },
    { lines: { some: { readerId: 1 } } },
    { lines: { none: { readerId: 2 } } },
    { data: { path: ["a"], equals: 1 } },
    { NOT: { data: { path: ["a"], equals: 1 } } },
    { OR: [{ data: { path: ["b", "0"], not: "x" } }, { title: "a" }] },
  ];

  it("C107 matches recorded states with row rules as the database matches rows", async () => {
    await client().project.createMany({ data: [{ isOpen: true }, { isOpen: false }] });
    const date = "2026-01-31T08:30:00.000Z";
    const writes: readonly object[] = [
      { title: "a", ownerId: 1, margin: "1.50", readers: [1], lines: [{ text: "l", readerId: 1 }] },
      {
        data: { b: ["y"] },
        status: "PAID",
        readers: [1, 2],
        placedAt: date,
        dueOn: "2026-01-31T00:00:00.000Z",
        weight: 0.1,
      },
      { data: { a: 2, b: ["x"] }, title: "Abc", ownerId: 2, margin: null, count: "9007199254740993", projectId: 1 },
      { title: "xb", placedAt: "2026-01-31T08:30:00.000001Z", digest: "AQL/", readers: [], projectId: 2 },
      {
        ownerId: 3,
        ref: "0B0F9D0E-5C1C-4A36-9B2E-6A1A8A9D2F41",
        weight: 0.30000000000000004,
        dueOn: "2026-02-01T00:00:00.000Z",
      },
      { ownerId: null, status: "NEW", projectId: null, margin: "-1", data: { a: 1 } },
    ];
    const expected = filters.map((): boolean[] => []);
    for (const [index, body] of writes.entries()) {
      await (index === 0 ? write("POST", "orders", body) : write("PATCH", "orders/1", body));
      for (const [at, filter] of filters.entries())
        expected[at]?.push((await client().order.count({ where: { AND: [{ id: 1 }, filter] } })) === 1);
    }
    const ids = (await client().change.findMany({ where: { model: "Order" }, orderBy: { id: "asc" } })).map(
      ({ id }) => id,
    );
    expect(ids).toHaveLength(writes.length);
    for (const [at, filter] of filters.entries()) {
      rule = () => filter;
      const { status, body } = await history(admin, "?limit=50");
      expect([filter, [200, 404].includes(status)]).toEqual([filter, true]);
      const seen = new Map(
        (status === 404 ? [] : body.data).map((change: Record<string, unknown>) => [change.id, change.after]),
      );
      const matched = ids.map((id) => (seen.get(String(id)) ?? null) !== null);
      expect([filter, matched]).toEqual([filter, expected[at]]);
    }
  });

  it("C107 shows no state if a row rule reads a field that is not recorded or cannot be compared", async () => {
    await write("POST", "orders", { title: "a", data: { a: 1 }, readers: [] });
    await contextOf({ app })
      .database.of("Order")
      .update({ where: { id: 1 }, data: { secret: "x" } });
    for (const filter of [
      { secret: "x" },
      { OR: [{ title: "a" }, { secret: "x" }] },
      { NOT: { secret: "y" } },
      { data: { equals: { a: 1 } } },
      { data: { path: ["a"], gte: 1 } },
      { readers: { isEmpty: true } },
    ]) {
      rule = () => filter;
      expect([filter, (await call(admin, "GET", "orders/1")).status]).toEqual([filter, 200]);
      const { status, body } = await history(admin);
      expect([status, body.data]).toEqual([200, []]);
    }
    rule = () => ({ OR: [{ title: "b" }, { secret: "y" }] });
    expect((await history(admin)).status).toBe(404);
  });

  it("C107 puts each state in the place of the current row, also for a row rule that reaches the row through others", async () => {
    await client().project.create({ data: { isOpen: true } });
    await write("POST", "orders", { title: "a", projectId: 1 });
    await write("POST", "orders", { title: "b", previousId: 1 });
    await write("PATCH", "orders/1", { title: "c", status: "PAID" });
    // In the state NEW this rule hides the row.
    rule = () => ({ project: { is: { orders: { none: { status: "NEW" } } } } });
    expect(await states(admin, "title")).toEqual([[null, "c"]]);
    rule = () => ({ previous: { is: { title: "c" } } });
    expect(await states(admin, "title", "orders/2")).toEqual([[null, "b"]]);
    expect((await history(admin)).status).toBe(404);
    rule = everyRow;
    await write("PATCH", "orders/2", { previousId: 2, title: "d" });
    rule = () => ({ previous: { is: { title: "c" } } });
    // Today the row precedes itself; with its first state it follows the first row.
    expect(await states(admin, "title", "orders/2")).toEqual([
      ["b", null],
      [null, "b"],
    ]);
    rule = () => ({ previous: { is: { title: "d" } } });
    expect(await states(admin, "title", "orders/2")).toEqual([[null, "d"]]);
    // The rule reads a field of the row that is not recorded.
    rule = () => ({ previous: { is: { secret: null } } });
    expect((await history(admin, "", "orders/2")).body.data).toEqual([]);
  });

  it("C107 shows no state that its table can no longer contain", async () => {
    await write("POST", "orders", { title: "a", ownerId: 1 });
    await write("PATCH", "orders/1", { title: "b" });
    await client().$executeRawUnsafe(
      `UPDATE "Change" SET before = jsonb_set(before, '{ownerId}', '"text"') WHERE before IS NOT NULL`,
    );
    rule = ownRows;
    expect(await states(ada, "title")).toEqual([
      [null, "b"],
      [null, "a"],
    ]);
  });

  it("C107 returns numbers of JSON fields unchanged", async () => {
    await write("POST", "orders", { title: "a" });
    await client().$executeRawUnsafe(
      `UPDATE "Change" SET after = jsonb_set(after, '{data}', '{"n": 12345678901234567890.5}')`,
    );
    expect((await history(ada)).text).toContain('{"n":12345678901234567890.5}');
  });
});

describe.each(["auto", "prisma"] as const)("C100 C107 tenants with the engine %s", (engine) => {
  afterAll(closeAll);
  it("C100 C107 shows the history of the rows of the caller's tenant only", async () => {
    const { url } = await start(engine, {
      tenant: { field: "organizationId", of: ({ user }) => user.organizationId, shared: ["Line", "Project", "Ticket"] },
      models: {
        ...Object.fromEntries(["Organization", "User"].map((name) => [name, { auth: open }])),
        Order: { auth: open, changes: { history: true } },
        Paper: { auth: open },
      },
    });
    await client().$executeRawUnsafe(emptyTables(...tables));
    await client().organization.createMany({ data: [{ name: "one" }, { name: "two" }] });
    const call = callerAt(url);
    const ada = await signUp(call, "ada", { organizationId: 1 });
    const bob = await signUp(call, "bob", { organizationId: 2 });
    expect((await call(ada, "POST", "orders", { title: "a" })).status).toBe(201);
    expect((await call(ada, "PATCH", "orders/1", { title: "b" })).status).toBe(200);
    expect((await call(ada, "GET", "orders/1/history")).body.meta.count).toBe(2);
    expect((await call(bob, "GET", "orders/1/history")).status).toBe(404);
    await call(ada, "DELETE", "orders/1");
    expect((await call(ada, "GET", "orders/1/history")).body.meta.count).toBe(3);
    expect((await call(bob, "GET", "orders/1/history")).status).toBe(404);
  });
});

describe("C107 a service", () => {
  afterEach(closeAll);
  it("C107 documents the histories that it has", async () => {
    const service = await start("auto");
    const { paths, components } = JSON.parse(JSON.stringify(await service.openapi()));
    expect(Object.keys(paths).filter((one) => one.endsWith("/history"))).toEqual([
      "/api/orders/{id}/history",
      "/api/papers/{id}/history",
    ]);
    const { get } = paths["/api/orders/{id}/history"];
    expect(JSON.stringify(get.parameters)).toMatch(/parameters\/Id.*\/Page.*\/OrderLimit/);
    expect(get.responses["404"]).toBeDefined();
    expect(Object.keys(components.schemas.PaperState.properties)).toEqual(
      "year code text isPublished organizationId".split(" "),
    );
  });

  it.each<readonly [string, ServiceInitConfig["models"], RegExp]>([
    [
      "for a history without reads of rows",
      { Order: { operations: { findOne: false }, changes: { history: true } } },
      /models\.Order\.changes\.history: A history requires reads of rows\. Enable findOne\./,
    ],
    [
      "for a retention without a limit",
      { Order: { changes: { retention: {} } } },
      /retention.*Set days, perRow or both/,
    ],
    ["for an invalid retention", { Order: { changes: { retention: { days: 0, perRow: 1.5 } } } }, /days(.|\n)*perRow/],
    ["for an unknown option", { Order: { changes: { histroy: true } } as never }, /histroy/],
  ])("C107 does not start %s", async (_, given, message) => {
    await expect(start("auto", { models: given ?? {} })).rejects.toThrow(message);
  });
});
