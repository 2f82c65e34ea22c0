import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type OpenResponse, type OpenShop, startOpenShop } from "./open-shop.js";

let shop: OpenShop;
const issues: OpenResponse[] = [];
beforeAll(async () => {
  shop = await startOpenShop();
});
afterAll(() => shop?.close());
afterEach(() => {
  expect(issues.splice(0).map(({ status, text }) => `${status} ${text}`)).toEqual([]);
});

const clients = 20;

/** Collects responses that must not occur. */
const call: OpenShop["call"] = async (...requested) => {
  const response = await shop.call(...requested);
  if (response.status >= 500) issues.push(response);
  return response;
};

const immediately = <Result>(count: number, work: (client: number) => Promise<Result>): Promise<Result[]> =>
  Promise.all(Array.from({ length: count }, (_, client) => work(client)));

const tally = (responses: readonly { readonly status: number }[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

describe(`C16 ${clients} clients increment one row`, () => {
  const path = "/reviews/1";

  it("with If-Match no update is lost: the sum is the number of 200 responses", async () => {
    await call("PATCH", path, { helpful: 0 });
    let written = 0;
    const turn = async (): Promise<number> => {
      const { body, headers } = await call("GET", path);
      const change = { helpful: body.data.helpful + 1 };
      const { status } = await call("PATCH", path, change, { "if-match": String(headers.get("etag")) });
      expect([200, 409, 412]).toContain(status);
      return status;
    };
    await immediately(clients, async () => {
      for (let turns = 0; turns < 7; turns++) if ((await turn()) === 200) written += 1;
    });
    expect(written).toBeGreaterThan(6);
    expect(await shop.database.review.findUnique({ where: { id: 1 } })).toMatchObject({ helpful: written });
  });

  it("without it every write is acknowledged, and the row has one of the sent values", async () => {
    const responses = await immediately(clients, (client) =>
      call("PATCH", path, { helpful: 1000 + client, title: `c${client}` }),
    );
    expect(tally(responses)).toEqual({ 200: clients });
    const row = await shop.database.review.findUnique({ where: { id: 1 } });
    expect(row?.title).toBe(`c${Number(row?.helpful) - 1000}`);
  });

  it("only one of them deletes it", async () => {
    const { headers } = await call("GET", "/reviews/2");
    const match = { "if-match": String(headers.get("etag")) };
    const counts = tally(
      await immediately(clients, (client) => call("DELETE", "/reviews/2", undefined, client % 2 ? match : {})),
    );
    expect(counts[204]).toBe(1);
    expect((counts[404] ?? 0) + (counts[412] ?? 0)).toBe(clients - 1);
  });

  it("a delete with If-Match never removes another client's change", async () => {
    for (let id = 10; id < 20; id++) {
      const { headers } = await call("GET", `/reviews/${id}`);
      const match = { "if-match": String(headers.get("etag")) };
      const [changed, deleted] = await Promise.all([
        call("PATCH", `/reviews/${id}`, { title: "changed" }, match),
        call("DELETE", `/reviews/${id}`, undefined, match),
      ]);
      expect([
        [200, 412],
        [404, 204],
        [412, 204],
      ]).toContainEqual([changed.status, deleted.status]);
    }
  });
});

describe(`C17 ${clients} concurrent creates of a unique value`, () => {
  it.each<[string, string, object]>([
    ["a unique field", "/tags", { name: "unique" }],
    ["two fields together", "/suppliers", { name: "Unique", country: "CH" }],
    ["an id of the client's own", "/settings", { key: "unique.key", value: 1 }],
    ["a unique field that serves as the id", "/coupons", { code: "UNIQUE", percent: 5, validFrom: "2026-01-01" }],
    ["a composite id", "/product-suppliers", { productId: 1, supplierId: "", reference: "x" }],
  ])("of %s: 1×201 and 19×409", async (_what, path, body) => {
    const supplier = await shop.database.supplier.create({ data: { name: `S${path}`, country: "AT" } });
    const sent = "supplierId" in body ? { ...body, supplierId: supplier.id } : body;
    const responses = await immediately(clients, () => call("POST", path, sent));
    expect(tally(responses)).toEqual({ 201: 1, 409: clients - 1 });
    for (const { status, body: problem } of responses)
      if (status === 409) expect(problem.code).toBe("UniqueConstraint");
  });

  it("in lists: one list is written completely, the others leave nothing", async () => {
    const list = (client: number) => [
      { name: `own-${client}` },
      { name: "shared-1" },
      { name: "shared-2" },
      { name: `other-${client}` },
    ];
    const responses = await immediately(clients, (client) =>
      call("POST", "/tags/many", client % 2 === 0 ? list(client) : list(client).reverse()),
    );
    expect(tally(responses)).toEqual({ 201: 1, 409: clients - 1 });
    const where = { OR: [{ name: { startsWith: "own-" } }, { name: { startsWith: "other-" } }] };
    expect(await shop.database.tag.count({ where })).toBe(2);
  });
});

describe("C13 C17 concurrent nested writes and deletes", () => {
  const image = (position: number) => ({ position, thumbnail: "AQID" });

  it("that add pictures to a product during its deletion leave no picture, and nothing fails", async () => {
    for (let round = 0; round < 6; round++) {
      const made = await call("POST", "/products", {
        sku: `R${round}`,
        name: "x",
        price: 1,
        categoryId: 1,
        images: [image(1)],
      });
      expect(made.status).toBe(201);
      const { id } = made.body.data;
      const responses = await immediately(12, (client) =>
        client === 6
          ? call("DELETE", `/products/${id}`)
          : call("PATCH", `/products/${id}`, { images: [image(100 + client)], tags: [{ id: 1 + (client % 3) }] }),
      );
      for (const { status } of responses) expect([200, 204, 404, 400, 409]).toContain(status);
      const gone = await shop.database.product.count({ where: { id } });
      if (responses[6]?.status === 204) expect(gone).toBe(0);
      const orphans = await shop.database
        .$queryRaw`SELECT i.id FROM product_images i LEFT JOIN products p ON p.id = i.product_id WHERE p.id IS NULL`;
      expect(orphans).toEqual([]);
    }
  });

  it("of the same new picture: one is written, the others are 409", async () => {
    const responses = await immediately(clients, () => call("PATCH", "/products/1", { images: [image(77)] }));
    expect(tally(responses)).toEqual({ 200: 1, 409: clients - 1 });
  });

  it("of the lines of one order, and its deletion: all lines or none", async () => {
    const order = await shop.database.order.findFirstOrThrow();
    const body = (client: number) => ({
      reference: `N${client}`,
      total: "2.00",
      customerId: order.customerId,
      shippingAddressId: order.shippingAddressId,
      items: [
        { line: 1, quantity: 1, unitPrice: "1.00", productId: 1 },
        { line: 2, quantity: 1, unitPrice: "1.00", productId: 2 },
      ],
    });
    const made = await immediately(clients, (client) => call("POST", "/orders", body(client)));
    expect(tally(made)).toEqual({ 201: clients });
    const ids = made.map(({ body: { data } }) => data.id as number);
    const responses = await immediately(clients, (client) =>
      client % 2 === 0
        ? call("DELETE", "/orders/many", { ids })
        : call("PATCH", `/orders/${ids[client]}`, {
            items: [{ line: 3, quantity: 1, unitPrice: "1.00", productId: 3 }],
          }),
    );
    for (const { status } of responses) expect([200, 404, 400, 409]).toContain(status);
    expect(responses.filter(({ status }, client) => client % 2 === 0 && status === 200)).toHaveLength(1);
    expect(await shop.database.order.count({ where: { id: { in: ids } } })).toBe(0);
    expect(await shop.database.orderItem.count({ where: { orderId: { in: ids } } })).toBe(0);
  });
});

describe("C17 bulk against single writes", () => {
  it("in opposite orders: each is executed completely or is 409 WriteConflict", async () => {
    const ids = (await shop.database.review.findMany({ take: 60, orderBy: { id: "desc" } })).map(({ id }) => id);
    const [first = 0] = ids;
    const change = (order: readonly number[], title: string) => order.map((id) => ({ id, title }));
    for (let round = 0; round < 3; round++) {
      const responses = await Promise.all([
        call("PATCH", "/reviews/many", change(ids, "down")),
        call("PATCH", "/reviews/many", change([...ids].reverse(), "up")),
        call("PATCH", `/reviews/many?id__gte=${ids.at(-1)}`, { title: "all" }),
        call("PATCH", `/reviews/many?product__name__not=x&id__gte=${ids.at(-1)}`, { title: "joined" }),
        ...ids.slice(0, 12).map((id) => call("PATCH", `/reviews/${id}`, { title: "one" })),
        call("DELETE", `/reviews/many?id=${first}&title=none`),
        call("GET", "/reviews?sort=-helpful&limit=100&include=product,customer"),
      ]);
      for (const { status, body } of responses) {
        expect([200, 409]).toContain(status);
        if (status === 409) expect(body.code).toBe("WriteConflict");
      }
      const titles = await shop.database.review.findMany({ where: { id: { in: ids.slice(12) } }, distinct: ["title"] });
      expect(titles).toHaveLength(1);
    }
  });

  it("of overlapping lists: no row is deleted twice, none of a rejected list", async () => {
    const rows = await shop.database.tag.createManyAndReturn({
      data: Array.from({ length: 40 }, (_, index) => ({ name: `gone-${index}` })),
    });
    const ids = rows.map(({ id }) => id);
    const responses = await immediately(10, (client) =>
      call("DELETE", "/tags/many", { ids: client % 2 === 0 ? ids.slice(0, 30) : ids.slice(10).reverse() }),
    );
    const deleted = responses.reduce((sum, { status, body }) => sum + (status === 200 ? body.meta.count : 0), 0);
    for (const { status } of responses) expect([200, 404, 409]).toContain(status);
    expect(deleted).toBe(30);
    expect(await shop.database.tag.count({ where: { id: { in: ids } } })).toBe(10);
  });

  it("mixed on few rows for two seconds: no 5xx, and acknowledged writes exist", async () => {
    const until = Date.now() + 2000;
    const statuses = new Set<number>();
    const acknowledged = await immediately(clients, async (client) => {
      const names = new Map<string, number>();
      for (let turn = 0; Date.now() < until; turn++) {
        const name = `m${client}-${turn}`;
        const id = 100 + (turn % 7);
        const work = [
          () => call("PATCH", `/reviews/${id}`, { helpful: turn }),
          () => call("PATCH", `/reviews/many?id__in=${id},${id + 1},${id - 1}`, { helpful: turn }),
          () =>
            call("PATCH", "/reviews/many", [
              { id: id + 1, helpful: turn },
              { id, helpful: turn },
            ]),
          () => call("POST", "/tags", { name }),
          () => call("PATCH", "/products/2", { tags: [{ id: 1 + (turn % 4) }] }),
          () => call("DELETE", `/tags/many?name=m${client}-${turn - 2}`),
        ][turn % 6] as () => Promise<OpenResponse>;
        const { status, body } = await work();
        statuses.add(status);
        if (turn % 6 === 3 && status === 201) names.set(name, body.data.id);
        if (turn % 6 === 5 && status === 200) names.delete(`m${client}-${turn - 2}`);
      }
      return [...names.values()];
    });
    expect([...statuses].filter((status) => ![200, 201, 204, 409].includes(status))).toEqual([]);
    const stored = acknowledged.flat();
    expect(await shop.database.tag.count({ where: { id: { in: stored } } })).toBe(stored.length);
  });
});
