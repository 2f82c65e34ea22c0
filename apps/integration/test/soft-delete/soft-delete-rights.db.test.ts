import type { ModelConfig, ServiceInitConfig } from "@servicekit/service";
import type { RequestHandler } from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, vi } from "vitest";
import { makeFailingStarter } from "../../../../packages/service/test/failing-start.js";
import { makeStarter } from "../../../../packages/service/test/start.js";
import { emptyTables } from "../../../../scripts/test/empty-tables.js";
import { createProviderDatabase, type TestedProvider } from "../../../../scripts/test/provider-database.js";
import type { PrismaClient } from "../generated/trash/client/client.js";
import { models } from "../generated/trash/models.js";
import { emptyTrash, isTested, trashClients, trashModels } from "./trash-clients.js";

const password = "a long staple of horses";

type Credentials = Readonly<Record<string, string>>;
interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  readonly body: any;
}

const { init, closeAll, logged } = makeStarter();
const failing = makeFailingStarter();
afterAll(failing.closeAll);
let provider: TestedProvider = "postgresql";
let created: Awaited<ReturnType<typeof createProviderDatabase>>;
let client: PrismaClient;

const open = { all: false } as const;
const base: NonNullable<ServiceInitConfig["models"]> = {
  Customer: { softDelete: true, auth: open },
  Item: { softDelete: { field: "removedAt" }, auth: open },
  Event: { auth: open },
};

async function start(mode: "static" | "dynamic", order: ModelConfig, config: ServiceInitConfig = {}) {
  const { url } = await init(
    {
      middlewares: { rateLimit: { limit: 1_000_000 } },
      authentication: {
        mode,
        login: { allowedUsernames: ["username"] },
        password: { cost: 4 },
        rateLimit: { limit: 1_000_000 },
      },
      database: {
        models: trashModels[provider],
        client: ({ adapter }) => {
          client = new trashClients[provider]({ adapter: adapter as never });
          return client;
        },
      },
      models: { ...base, Order: { softDelete: { keep: ["events"] }, aggregate: true, ...order } },
      ...config,
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: created.url, JWT_SECRET: "kG6x0Zc4oPq9TfB2nVw7LsYd1RjHuM5e" } },
  );
  const call = async (who: Credentials, method: string, at: string, body?: unknown): Promise<Reply> => {
    const response = await fetch(`${url}/api/${at}`, {
      method,
      headers: { ...who, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const signIn = async (username: string): Promise<Credentials> => {
    const { body } = await call({}, "POST", "auth/login", { username, password });
    return { authorization: `Bearer ${body.accessToken}` };
  };
  return { url, call, signIn };
}

/** Requests with deleted rows, and the right that each requires. */
const requests = [
  ["findDeleted", "GET", "orders?deleted=only"],
  ["findDeleted", "GET", "orders?deleted=include&count=false"],
  ["findDeleted", "GET", "orders/1?deleted=only"],
  ["findDeleted", "GET", "orders/aggregate?count=true&deleted=include"],
  ["restoreOne", "POST", "orders/1/restore"],
  ["deletePermanently", "DELETE", "orders/1?permanent=true"],
  ["deletePermanently", "DELETE", "orders/many?permanent=true&status=open"],
] as const;

const createTables = (on: TestedProvider) =>
  createProviderDatabase(on, inject("postgresUrl"), { project: "apps/integration", fixture: "trash" });

async function fill(): Promise<void> {
  const tables = ["Customer", "Order", "Item", "Event", "_OrderToTag"];
  await emptyTrash(provider, created.url, client, tables);
  await client.customer.create({ data: { name: "ann", email: "ann@example.com" } });
  const deletedAt = new Date();
  await client.order.createMany({
    data: [
      { number: "A", customerId: 1, deletedAt },
      { number: "B", customerId: 1 },
    ],
  });
}

describe.each(
  (
    [
      ["static", "postgresql"],
      ["dynamic", "postgresql"],
      ["static", "sqlite"],
      ["dynamic", "sqlite"],
      ["static", "mysql"],
      ["dynamic", "mysql"],
    ] as const
  ).filter(([, name]) => isTested(name)),
)("C101, C113, C119 rights to deleted rows in %s mode on %s", (mode, on) => {
  const callers: Record<"ada" | "guest" | "root", Credentials> = { ada: {}, guest: {}, root: {} };
  let call: Awaited<ReturnType<typeof start>>["call"];
  const rule = { roles: ["ADMIN"] };
  beforeAll(async () => {
    provider = on;
    created = await createTables(on);
    const own: ModelConfig["auth"] =
      mode === "static"
        ? { all: false, findDeleted: { rule }, restoreOne: { rule }, deletePermanently: { rule } }
        : { all: false };
    const served = await start(mode, { auth: own });
    call = served.call;
    for (const username of ["ada", "guest", "root"]) {
      const body = { username, email: `${username}@example.com`, password };
      expect((await call({}, "POST", "auth/signup", body)).status).toBe(201);
    }
    await client.user.update({ where: { username: "ada" }, data: { role: "ADMIN" } });
    await client.user.update({ where: { username: "root" }, data: { isSuperUser: true } });
    if (mode === "dynamic") {
      const actions = ["ViewDeleted", "Restore", "DeletePermanently"];
      const permissions = { create: actions.map((action) => ({ resource: "order", action })) };
      await client.authRole.create({ data: { name: "keeper", users: { connect: { username: "ada" } }, permissions } });
    }
    for (const name of ["ada", "guest", "root"] as const) callers[name] = await served.signIn(name);
  });
  afterAll(async () => {
    await closeAll();
    await created.drop();
  });
  beforeEach(fill);

  it.each(requests)(
    "%s: %s /%s is 401 and 403 without the right, although everyone may use the route",
    async (_right, method, at) => {
      expect(await call({}, method, at)).toMatchObject({ status: 401 });
      expect(await call(callers.guest, method, at)).toMatchObject({ status: 403, body: { code: "Forbidden" } });
      expect(await client.order.count({ where: { deletedAt: null } })).toBe(1);
      expect((await call(callers.ada, method, at)).status).toBeLessThan(300);
      await fill();
      expect((await call(callers.root, method, at)).status).toBeLessThan(300);
    },
  );

  it("does not show deleted rows to superusers who do not request them", async () => {
    expect((await call(callers.root, "GET", "orders")).body.data).toMatchObject([{ id: 2 }]);
    expect((await call(callers.root, "GET", "orders/1")).status).toBe(404);
    expect((await call(callers.root, "PATCH", "orders/1", { status: "x" })).status).toBe(404);
    expect((await call(callers.root, "GET", "customers/1?include=orders")).body.data.orders).toMatchObject([{ id: 2 }]);
  });

  it("requires the right to read deleted rows of filters that delete them permanently", async () => {
    const at = "orders/many?permanent=true&deleted=only&status=open";
    expect((await call(callers.guest, "DELETE", at)).status).toBe(403);
    expect((await call(callers.ada, "DELETE", at)).body).toMatchObject({ meta: { count: 1 } });
  });

  it("lists the rights in discovery", async () => {
    const { body } = await call(callers.guest, "GET", "available-resources");
    const { operations } = body.data.find(({ name }: { name: string }) => name === "order");
    const allowed = Object.fromEntries(
      operations.map((one: { name: string; allowed: boolean }) => [one.name, one.allowed]),
    );
    expect(allowed).toMatchObject({ findMany: true, restoreOne: false, findDeleted: false, deletePermanently: false });
    expect(operations).toContainEqual(
      expect.objectContaining({ name: "restoreOne", method: "POST", path: "/api/orders/:id/restore" }),
    );
    const ofAda = (await call(callers.ada, "GET", "available-resources")).body.data;
    expect(JSON.stringify(ofAda)).toContain(
      '"name":"restoreOne","method":"POST","path":"/api/orders/:id/restore","allowed":true',
    );
    const names = (name: string) =>
      ofAda.find((one: { name: string }) => one.name === name).operations.map((one: { name: string }) => one.name);
    expect(names("event")).not.toContain("restoreOne");
    expect(names("event")).not.toContain("findDeleted");
    const actions = (await call(callers.root, "GET", "auth-actions")).body.data;
    for (const action of ["ViewDeleted", "Restore", "DeletePermanently"])
      expect(actions).toContainEqual(expect.objectContaining({ resource: "order", action }));
    expect(actions).not.toContainEqual(expect.objectContaining({ resource: "event", action: "Restore" }));
  });
});

describe("C101 the configuration of soft delete", () => {
  beforeAll(async () => {
    provider = "postgresql";
    created = await createTables(provider);
  });
  afterAll(async () => {
    await closeAll();
    await created.drop();
  });

  it("combines the row rules of the rights with those of the model", async () => {
    const where = () => ({ number: { not: "A" } });
    const { call } = await start("static", {
      auth: {
        all: false,
        where: () => ({ total: { lt: 100 } }),
        restoreOne: { rule: false, where },
        findDeleted: { rule: false, where },
        deletePermanently: false,
      },
    });
    await fill();
    const deletedAt = new Date();
    await client.order.createMany({
      data: [
        { number: "C", customerId: 1, deletedAt },
        { number: "D", customerId: 1, total: 100, deletedAt },
      ],
    });
    expect((await call({}, "GET", "orders?deleted=only")).body.data).toMatchObject([{ number: "C" }]);
    expect((await call({}, "POST", "orders/1/restore")).status).toBe(404);
    expect((await call({}, "POST", "orders/4/restore")).status).toBe(404);
    expect((await call({}, "POST", "orders/3/restore")).status).toBe(200);
    expect((await call({}, "DELETE", "orders/4?permanent=true")).status).toBe(404);
    expect((await call({}, "DELETE", "orders/1?permanent=true")).status).toBe(204);
    await closeAll();
  });

  it("runs the hooks of deletes and of restores, and replays responses of an Idempotency-Key", async () => {
    const ran: string[] = [];
    const note =
      (name: string): RequestHandler =>
      (_request, _response, next) => {
        ran.push(name);
        next();
      };
    const { call } = await start(
      "static",
      {
        auth: { all: false, restoreOne: false },
        hooks: {
          beforeDeleteOne: note("before delete"),
          beforeRestoreOne: note("before"),
          afterRestoreOne: (_request, response, next) => {
            ran.push(response.locals.data.number);
            next();
          },
        },
      },
      { idempotency: {} },
    );
    await fill();
    const key = { "idempotency-key": "one" };
    const [first, second] = [await call(key, "POST", "orders/1/restore"), await call(key, "POST", "orders/1/restore")];
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body]);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect((await call({}, "DELETE", "orders/1")).status).toBe(204);
    expect(ran).toEqual(["before", "A", "before delete"]);
    await closeAll();
  });

  it("works with a date that no client, or not every client, sees", async () => {
    for (const hiding of [
      { hidden: ["deletedAt"], auth: { all: false } },
      { auth: { all: false, fields: { "*": ["id", "number", "customer", "customerId", "items"] } } },
    ] as const) {
      const { auth, ...rest } = hiding;
      const { call } = await start("static", { ...rest, auth: { ...auth, findDeleted: false, restoreOne: false } });
      await fill();
      expect((await call({}, "GET", "orders")).body.data).toMatchObject([{ id: 2 }]);
      expect((await call({}, "GET", "customers/1?include=orders")).body.data.orders).toMatchObject([{ id: 2 }]);
      expect((await call({}, "GET", "orders?deletedAt__isNull=false")).status).toBe(400);
      expect((await call({}, "GET", "orders?deleted=only")).body.data).toMatchObject([{ id: 1 }]);
      expect((await call({}, "DELETE", "orders/2")).status).toBe(204);
      const { status, body } = await call({}, "POST", "orders/2/restore");
      expect([status, body.data.id, body.data.deletedAt]).toEqual([200, 2, undefined]);
      await closeAll();
    }
  });

  it("C107 stores a delete and a restore as changes of the rows, and shows them in the history", async () => {
    const { call } = await start(
      "static",
      { auth: { all: false, restoreOne: false }, changes: true },
      {
        models: {
          ...base,
          Order: { softDelete: { keep: ["events"] }, auth: { all: false }, changes: true },
          Customer: { softDelete: true, auth: { all: false, restoreOne: false }, changes: { history: true } },
        },
      },
    );
    await fill();
    await client.$executeRawUnsafe(emptyTables("Change"));
    /** The names in the states of the history: a deleted state is not visible. */
    const history = async () => {
      const { status, body } = await call({}, "GET", "customers/1/history");
      const named = (state: { name: string } | null) => state?.name ?? null;
      return [
        status,
        body.data?.map((change: Record<"before" | "after", { name: string } | null>) => [
          named(change.before),
          named(change.after),
        ]),
      ];
    };
    expect((await call({}, "DELETE", "customers/1")).status).toBe(204);
    expect(await history()).toEqual([200, [["ann", null]]]);
    expect((await call({}, "POST", "customers/1/restore")).status).toBe(200);
    expect(await history()).toEqual([
      200,
      [
        [null, "ann"],
        ["ann", null],
      ],
    ]);
    const changes = await client.change.findMany({ orderBy: { id: "asc" } });
    expect(changes.map(({ model, key, operation }) => `${operation} ${model} ${key}`)).toEqual([
      ...["update Customer 1", "update Order 2", "update Customer 1", "update Order 2"],
    ]);
    expect(changes[1]).toMatchObject({ before: { deletedAt: null }, after: { deletedAt: expect.any(String) } });
    expect(changes[3]).toMatchObject({ after: { deletedAt: null } });
    await closeAll();
  });

  it("omits disabled operations and rights", async () => {
    const { call } = await start("static", {
      auth: { all: false, restoreOne: false, findDeleted: false, deletePermanently: false },
      operations: { restoreOne: false, findDeleted: false, deletePermanently: false },
    });
    await fill();
    expect((await call({}, "POST", "orders/1/restore")).status).toBe(404);
    expect((await call({}, "GET", "orders?deleted=only")).status).toBe(401);
    expect((await call({}, "DELETE", "orders/1?permanent=true")).status).toBe(401);
    await closeAll();
  });

  it("warns once of unique values that deleted rows occupy, unless the index is partial", async () => {
    const warnings = () =>
      logged().flatMap(({ msg }) => (typeof msg === "string" && msg.startsWith("Deleted rows") ? [msg] : []));
    await start("static", { auth: { all: false } });
    await vi.waitFor(() => expect(warnings()).toHaveLength(3));
    expect(warnings()).toMatchInlineSnapshot(`
      [
        "Deleted rows of Customer occupy their email (unique index Customer_email_key): new rows cannot have the same values. Replace it by a partial index in a migration: CREATE UNIQUE INDEX "Customer_email_key" ON "Customer" ("email") WHERE "deletedAt" IS NULL;",
        "Deleted rows of Order occupy their number (unique index Order_number_key): new rows cannot have the same values. Replace it by a partial index in a migration: CREATE UNIQUE INDEX "Order_number_key" ON "Order" ("number") WHERE "deletedAt" IS NULL;",
        "Deleted rows of Item occupy their orderId, sku (unique index Item_orderId_sku_key): new rows cannot have the same values. Replace it by a partial index in a migration: CREATE UNIQUE INDEX "Item_orderId_sku_key" ON "Item" ("orderId", "sku") WHERE "removedAt" IS NULL;",
      ]
    `);
    await closeAll();
    await client.$executeRawUnsafe(`DROP INDEX "Order_number_key"`);
    await client.$executeRawUnsafe(
      `CREATE UNIQUE INDEX "Order_number_key" ON "Order" (number) WHERE "deletedAt" IS NULL`,
    );
    await start("static", { auth: { all: false } });
    await vi.waitFor(() => expect(warnings()).toHaveLength(2));
    await closeAll();
  });

  it("is a startup error if it does not fit the schema", async () => {
    const text = (configs: unknown) => failing.textOf({ models: configs, database: { models, client: () => client } });
    const all = await text({
      Customer: { softDelete: { field: "goneAt" } },
      Order: { softDelete: { field: "updatedAt" }, writable: ["updatedAt"] },
      Item: { softDelete: { field: "sku" } },
      Event: { auth: { restoreOne: true } },
      Product: { softDelete: { keep: ["itemz"] } },
      Tag: { softDelete: "yes" },
    });
    expect(all).toMatchInlineSnapshot(`
      "The service cannot start (10 errors):
        - the environment variable DATABASE_URL: is missing: database.client is a function that takes an adapter made from it. Expected a URL such as postgresql://user:password@localhost:5432/name.
        - models.Event.auth: Without the block \`authentication\`, permissions are not checked and these routes are open to everyone. Add the block (with enabled: false if this is intended), or remove auth.
        - models.Tag.softDelete: found "yes" (text), expected true, false or an object with field and keep.
        - models.Customer.softDelete.field: Customer has no field goneAt. Add goneAt DateTime? to the model, or name its field in softDelete.field.
        - models.Order.softDelete.field: updatedAt of Order is required. Expected an optional DateTime.
        - models.Order.writable: updatedAt is the time of the deletion, which no body can set. Remove it.
        - models.Order.softDelete: Event.order has onDelete: Cascade, and Event has no soft delete. Set softDelete of Event, or list events in softDelete.keep, so that its rows stay.
        - models.Item.softDelete.field: sku of Item has the type String. Expected an optional DateTime.
        - models.Event.auth.restoreOne: Event has no soft delete. Set softDelete, or remove this key.
        - models.Product.softDelete.keep: Unknown relation with onDelete: Cascade itemz."
    `);
    expect(
      await text({ Order: { softDelete: true }, Customer: { softDelete: { keep: ["orders"] } } }),
    ).toMatchInlineSnapshot(`
      "The service cannot start (4 errors):
        - the environment variable DATABASE_URL: is missing: database.client is a function that takes an adapter made from it. Expected a URL such as postgresql://user:password@localhost:5432/name.
        - models.Order.softDelete: Item.order has onDelete: Cascade, and Item has no soft delete. Set softDelete of Item, or list items in softDelete.keep, so that its rows stay.
        - models.Order.softDelete: Event.order has onDelete: Cascade, and Event has no soft delete. Set softDelete of Event, or list events in softDelete.keep, so that its rows stay.
        - models.Customer.softDelete.keep: The rows of orders have soft delete, so they are deleted and restored too. Remove it."
    `);
    expect(await text({ User: { softDelete: { field: "createdAt" } } })).toContain("User has no field createdAt");
  });
});
