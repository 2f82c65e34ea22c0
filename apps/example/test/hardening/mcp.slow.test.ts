import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneOf } from "../../../../scripts/test/slow-share.js";
import {
  type AccountDatabase,
  type AccountShop,
  bearer,
  createAccountDatabase,
  startAccounts,
} from "../accounts/account-shop.js";
import type { Row } from "../api.js";
import { type Agent, connectAgent } from "../call-mcp.js";

// The permissions of the two kinds of accounts are those of the routes, which the suite calls in addition to each tool.
describe.each(oneOf(["static", "dynamic"] as const))("with %s accounts", (accounts) => {
  let database: AccountDatabase;
  let shop: AccountShop;
  beforeAll(async () => {
    database = await createAccountDatabase();
    shop = await startAccounts({ database, accounts, config: { mcp: { access: "write" } } });
  });
  afterAll(async () => {
    await shop?.close();
    await database?.drop();
  });

  const tokens = new Map<string, Promise<string>>();
  const tokenOf = (username: string): Promise<string> => {
    const known = tokens.get(username) ?? shop.tokenOf(username);
    tokens.set(username, known);
    return known;
  };
  const agentOf = async (username?: string): Promise<Agent> =>
    connectAgent(shop.url, username === undefined ? {} : bearer(await tokenOf(username)));
  const list = (username: string | undefined, path: string) => shop.as<{ data?: Row[] }>(username, "GET", path);
  /** A message of a program that does not use the client library. */
  const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${shop.url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const callOf = (name: string, given: unknown) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: given },
  });

  describe.each([undefined, "ada", "edda", "will", "root"])("C75 C57 as %s", (username) => {
    it("an agent finds the resources, fields and rows of its caller, and no others", async () => {
      const root = await agentOf("root");
      const agent = await agentOf(username);
      const [all, mine] = [await root.resources(), await agent.resources()];
      const texts = [
        JSON.stringify(await agent.client.listTools()),
        JSON.stringify(await agent.client.listResources()),
      ];
      const hidden = new Set<string>();
      for (const resource of all) {
        const path = `/api/${resource}?limit=3`;
        const asRoot = await list("root", path);
        const response = await list(username, path);
        const found = await agent.call("find", { resource, limit: 3 });
        expect(mine.includes(resource), resource).toBe(response.status === 200);
        if (!mine.includes(resource)) {
          // A model that is invisible to this caller has the same error as an unknown one.
          expect(found).toMatchObject({
            isError: true,
            text: expect.stringContaining(`Unknown resource "${resource}"`),
          });
          hidden.add(resource);
          continue;
        }
        expect(found.json().data).toEqual(response.body.data);
        const described = await agent.describe(resource);
        texts.push(JSON.stringify(described));
        const seen = Object.keys(response.body.data?.[0] ?? {});
        expect(Object.keys(described.fields as object)).toEqual(expect.arrayContaining(seen));
        const unseen = Object.keys(asRoot.body.data?.[0] ?? {}).filter((name) => !seen.includes(name));
        for (const name of seen.length > 0 ? unseen : [])
          expect(Object.keys(described.fields as object)).not.toContain(name);
      }
      for (const name of hidden)
        for (const text of texts) expect(text).not.toMatch(new RegExp(`"${name}"|of ${name}\\b|/${name}"`));
      expect(texts.join()).not.toMatch(/purchasePrice|purchase_price|IdempotencyKey/);
    });
  });

  it("C75 a customer reads and reviews as over HTTP, with hooks, validation and versions", async () => {
    const ada = await agentOf("ada");
    const { orderId, customerId } = await database.own("ada");
    const other = await database.own("ben");
    const orders = await ada.call("find", { resource: "orders", fields: ["customerId"], limit: 100 });
    expect(new Set(orders.json().data.map((row) => row.customerId))).toEqual(new Set([customerId]));
    const foreign = await ada.call("read", { resource: "orders", key: other.orderId });
    expect(foreign).toMatchObject({ isError: true, text: expect.stringContaining('"NotFound"') });
    // A hook of the application runs before the write.
    const update = await ada.call("update", { resource: "orders", key: orderId, data: { total: "0.01" } });
    expect(update).toMatchObject({ isError: true, text: expect.stringContaining("note and deliverBy") });
    const { etag } = (await ada.call("read", { resource: "orders", key: orderId })).json();
    const note = async (text: string, given = etag) =>
      ada.call("update", { resource: "orders", key: orderId, data: { note: text }, etag: given });
    expect((await note("ring twice")).json().data).toMatchObject({ note: "ring twice" });
    expect(await note("too late")).toMatchObject({
      isError: true,
      text: expect.stringContaining("PreconditionFailed"),
    });
    const wrong = await ada.call("update", { resource: "addresses", key: other.addressId, data: { cty: 1 } });
    expect(wrong).toMatchObject({ isError: true });
    expect(await ada.call("create", { resource: "products", data: { name: "Mine" } })).toMatchObject({
      isError: true,
      text: "You cannot create products, only find, read.",
    });
  });

  it("C75 calls declared routes with mcp: true, for callers with access, with their schemas", async () => {
    const report = { query: { limit: 1 } };
    const edda = await agentOf("edda");
    const [found] = (await edda.client.listTools()).tools.filter(({ name }) => name === "get_reports_best_sellers");
    expect(found).toMatchObject({
      description: expect.stringContaining("What sold most"),
      annotations: { readOnlyHint: true },
      inputSchema: { properties: { query: { properties: { limit: { maximum: 100 } } } } },
    });
    expect((await edda.call("get_reports_best_sellers", report)).json().data).toHaveLength(1);
    const wrong = await edda.call("get_reports_best_sellers", { query: { limit: 1000 } });
    expect(wrong).toMatchObject({ isError: true, text: expect.stringContaining("limit") });
    const ada = await agentOf("ada");
    expect(await ada.tools()).not.toContain("get_reports_best_sellers");
    await expect(ada.call("get_reports_best_sellers", report)).rejects.toThrow("Unknown tool");
    const will = await agentOf("will");
    expect(await will.call("post_orders_ship", { params: { id: "x/../1" } })).toMatchObject({ isError: true });
  });

  it("C75 marks destructive tools, and lists no writing ones to anonymous clients", async () => {
    const { tools } = await (await agentOf("root")).client.listTools();
    expect(tools.filter(({ annotations }) => annotations?.destructiveHint === true).map(({ name }) => name)).toEqual([
      "update",
      "replace",
      "delete",
      "post_orders_ship",
    ]);
    const anonymous = await agentOf();
    expect(await anonymous.tools()).toEqual(["list_resources", "describe_resource", "find", "read"]);
    await expect(anonymous.call("delete", { resource: "tags", key: 1 })).rejects.toThrow("Unknown tool delete");
  });

  it("C75 describes itself as resources, and the document to callers with access", async () => {
    const { client } = await agentOf("ada");
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain("servicekit://resources/products");
    const product = await client.readResource({ uri: "servicekit://resources/products" });
    expect(JSON.stringify(product)).toContain("The stock keeping unit printed on the box.");
    expect(JSON.stringify(product)).not.toContain("stock movements");
    await expect(client.readResource({ uri: "servicekit://resources/suppliers" })).rejects.toThrow("Unknown resource");
    const document = await client.readResource({ uri: "servicekit://api/api-docs.json" });
    expect(JSON.stringify(document).slice(0, 200)).toContain("openapi");
    const inShort = await client.readResource({ uri: "servicekit://api/api-docs/llms.txt" });
    expect(JSON.stringify(inShort)).toContain("GET /api/products");
    await expect(client.readResource({ uri: "servicekit://api/users/me" })).rejects.toThrow("Unknown resource");
  });

  it("C75 C72 accepts an API key as any request does, and rejects an invalid token", async () => {
    const { body } = await shop.as<{ data: { key: string } }>("ada", "POST", "/api/auth/keys", { name: "agent" });
    const agent = await connectAgent(shop.url, { "x-api-key": body.data.key });
    const { customerId } = await database.own("ada");
    const [order] = (await agent.call("find", { resource: "orders", limit: 1 })).json().data;
    expect(order?.customerId).toBe(customerId);
    await expect(connectAgent(shop.url, bearer("nonsense"))).rejects.toThrow("InvalidToken");
  });

  it("C75 rejects pages of other origins, and foreign host names", async () => {
    const { host } = new URL(shop.url);
    for (const origin of ["https://evil.example", "null", `http://${host}`, "http://rebound.example:8000"]) {
      const response = await post(
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        { origin, host: "rebound.example:8000" },
      );
      expect([origin, response.status]).toEqual([origin, 403]);
    }
    expect((await post({ jsonrpc: "2.0", id: 1, method: "tools/list" })).status).toBe(200);
  });

  it("C75 has no sessions, and rejects invalid messages", async () => {
    const begun = await post({
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    });
    expect([begun.status, begun.headers.get("mcp-session-id")]).toEqual([200, null]);
    expect((await fetch(`${shop.url}/api/mcp`, { headers: { accept: "text/event-stream" } })).status).toBe(405);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const rejected: [unknown, Record<string, string>?][] = [
      [[ping, ping]],
      ["{"],
      ["null"],
      [{}],
      [{ ...ping, jsonrpc: "1.0" }],
      [ping, { "content-type": "text/plain" }],
      [ping, { "mcp-protocol-version": "1999-01-01" }],
      [
        `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find","arguments":{"resource":"tags","where":{"__proto__":{"id":1}}}}}`,
      ],
      [{ ...callOf("find", { resource: "x".repeat(2_000_000) }) }],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}}`],
    ];
    for (const [body, headers] of rejected) {
      const response = await post(body, headers);
      expect(response.status, JSON.stringify(body).slice(0, 80)).toBeGreaterThanOrEqual(400);
      expect(response.status).toBeLessThan(500);
    }
  });

  it.each<[string, unknown]>([
    ["find", undefined],
    ["find", []],
    ["find", { resource: 7 }],
    ["find", { resource: "__proto__" }],
    ["find", { resource: "constructor" }],
    ["find", { resource: "../users" }],
    ["find", { resource: "tags/1" }],
    ["find", { resource: "tags", sql: "1=1" }],
    ["find", { resource: "tags", where: "id=1" }],
    ["find", { resource: "tags", where: { constructor: { prototype: 1 } } }],
    ["find", { resource: "tags", where: { name: { contains: { a: [] } } } }],
    ["find", { resource: "tags", where: { nothing: 1 } }],
    ["find", { resource: "tags", limit: 1e9 }],
    ["find", { resource: "tags", limit: -1 }],
    ["find", { resource: "tags", include: ["products.category.products.category.products.category"] }],
    ["find", { resource: "tags", search: "x".repeat(100_000) }],
    ["read", { resource: "tags", key: "../users/1" }],
    ["read", { resource: "tags", key: "1?include=products" }],
    ["read", { resource: "tags", key: { id: 1 } }],
    ["create", { resource: "tags", data: [{ name: "a" }, { name: "b" }] }],
    ["create", { resource: "tags", data: { name: { toString: 1 } } }],
    ["delete", { resource: "tags", key: "many" }],
  ])("C75 rejects %s of %j with a message, and changes nothing", async (name, given) => {
    const before = await database.client.tag.count();
    const response = await post(callOf(name, given), bearer(await tokenOf("root")));
    const { result, error } = (await response.json()) as { result?: { isError: boolean }; error?: { code: number } };
    expect([response.status, result?.isError ?? (error?.code ?? 0) < 0]).toEqual([200, true]);
    expect(await database.client.tag.count()).toBe(before);
    expect(shop.log().includes("unexpected error")).toBe(false);
  });

  it("C75 C4 writes no rounded JSON number", async () => {
    const body = JSON.stringify(callOf("create", { resource: "tags", data: { name: "n", id: 1 } }));
    const response = await post(body.replace('"id":1}', '"id":9007199254740993}'), bearer(await tokenOf("root")));
    expect(await response.text()).toContain("more digits than JSON preserves (id)");
  });

  it("C75 handles 100 concurrent calls", async () => {
    const agent = await agentOf("will");
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        agent.call("find", { resource: "products", limit: 1, page: index + 1 }),
      ),
    );
    expect(new Set(responses.map((response) => response.json().data[0]?.id)).size).toBe(100);
  });

  it("C75 limits results, and explains how to request less", async () => {
    const agent = await agentOf();
    const many = await agent.call("find", {
      resource: "products",
      limit: 100,
      include: ["category", "images", "reviews"],
    });
    expect(many.text.length).toBeLessThan(25_000);
    const { data, hint } = many.json();
    expect(hint).toContain(`Use limit: ${data.length}`);
    expect((await agent.call("find", { resource: "products", limit: 5, fields: ["id"] })).json().hint).toBeUndefined();
  });

  it("C75 C59 counts a call for the address of its sender, and is read-only by default", async () => {
    const config = { mcp: {}, trustProxy: 1, middlewares: { rateLimit: { limit: 20 } } };
    const other = await startAccounts({ database, accounts, config });
    try {
      const from = (address: string) => connectAgent(other.url, { "x-forwarded-for": address });
      const first = await from("192.0.2.1");
      const texts: string[] = [];
      for (let turn = 0; turn < 12; turn++) {
        texts.push(await first.call("find", { resource: "tags", limit: 1 }).then(({ text }) => text, String));
      }
      expect(texts[0]).toContain('"data"');
      expect(texts.at(-1)).toContain("TooManyRequests");
      const second = await from("192.0.2.2");
      expect((await second.call("find", { resource: "tags", limit: 1 })).isError).toBe(false);
      const root = await connectAgent(other.url, {
        ...bearer(await other.tokenOf("root")),
        "x-forwarded-for": "192.0.2.3",
      });
      expect(await root.tools()).toEqual([
        ...["list_resources", "describe_resource", "find", "aggregate", "read", "get_reports_best_sellers"],
      ]);
    } finally {
      await other.close();
    }
  });
});
