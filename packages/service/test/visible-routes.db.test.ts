import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { type Call, makeWebhookServices, password } from "./serve-webhooks.js";

const { createDatabase, dropDatabase, start, clear } = makeWebhookServices();
beforeAll(createDatabase);
afterEach(clear);
afterAll(dropDatabase);

it("C46 describes the access rules of resources to superusers only", async () => {
  const { as, asSuperUser } = await start();
  const ordersOf = async (call: Call) => {
    const { data } = (await call("GET", "available-resources")).body;
    const { operations } = data.find(({ name }: { name: string }) => name === "order");
    return operations.find(({ name }: { name: string }) => name === "findMany");
  };
  const findMany = { name: "findMany", method: "GET", path: "/api/orders", allowed: true };
  expect(await ordersOf(await as("ADMIN"))).toEqual(findMany);
  expect(await ordersOf(await asSuperUser())).toEqual({
    ...findMany,
    access: { open: false, roles: ["*"], rows: false },
  });
});

it("C75 the MCP server lists the resources that its caller may use", async () => {
  const { service, as } = await start({ mcp: {} });
  const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_resources", arguments: {} } };
  const headers = { accept: "application/json, text/event-stream" };
  const namesIn = ({ result }: { result: { content: readonly [{ text: string }] } }) =>
    JSON.parse(result.content[0].text).data.map(({ resource }: { resource: string }) => resource);
  const anonymous = await fetch(`${service.url}/api/mcp`, {
    ...{ method: "POST", headers: { ...headers, "content-type": "application/json" } },
    body: JSON.stringify(body),
  });
  expect(namesIn((await anonymous.json()) as never)).toEqual([]);
  const namesFor = async (role: string) => namesIn((await (await as(role))("POST", "mcp", body, headers)).body);
  expect(await namesFor("ADMIN")).toEqual(["orders", "webhooks"]);
  expect(await namesFor("MEMBER")).toEqual(["orders"]);
});

it.each([
  ["a named origin", { cors: { allowedOrigins: ["https://a.example", "*"] } }, 201],
  ["any origin", { cors: { allowedOrigins: ["*"] } }, 403],
  ["no origin", { cors: false }, 403],
] as const)("C31 accepts the cookie of a user from pages of named origins only: %s", async (_title, config, status) => {
  const { service, as } = await start(config);
  await as("ADMIN");
  const post = (path: string, body: object, headers = {}) =>
    fetch(`${service.url}/api/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const login = await post("auth/login", { username: "ADMIN", password });
  const cookie = login.headers.getSetCookie().map((text) => text.split(";", 1)[0]);
  const statusFrom = async (origin: string) =>
    (await post("orders", { title: "one" }, { origin, cookie: cookie.join("; ") })).status;
  expect(await statusFrom("https://a.example")).toBe(status);
  expect(await statusFrom("https://b.example")).toBe(403);
  expect(await statusFrom("*")).toBe(403);
});
