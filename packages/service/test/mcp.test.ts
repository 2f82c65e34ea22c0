import { afterEach, describe, expect, it } from "vitest";
import type { ServiceInitConfig } from "../src/index.js";
import { makeProjects } from "./project-folder.js";
import { makeStarter } from "./start.js";

const { init, closeAll } = makeStarter();
const { project, removeAll } = makeProjects();
afterEach(async () => {
  await closeAll();
  removeAll();
});

const initialize = {
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};

/** Starts a service with MCP, and returns how to send it a message. */
async function start(config: ServiceInitConfig = {}, packageText = "{}", nodeEnv = "test") {
  const around = { directory: project({ "package.json": packageText }), environment: { NODE_ENV: nodeEnv } };
  const { url } = await init({ mcp: {}, ...config }, around);
  return async (message: object, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${url}/api/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...message }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: a response of any form.
    return { status: response.status, body: (await response.json()) as any };
  };
}

describe("C75 the MCP server of a service", () => {
  it.each([
    ["its package", '{"name":"shop","version":"1.2.3"}', { name: "shop", version: "1.2.3" }],
    ["a service if its package has none", "{}", { name: "service", version: "0.0.0" }],
    ["a service if its package cannot be read", "{", { name: "service", version: "0.0.0" }],
  ])("has the name and the version of %s", async (_title, text, info) => {
    const send = await start({}, text);
    expect((await send(initialize)).body.result.serverInfo).toMatchObject(info);
  });

  it("offers the documentation as resources where it is served, and none where it is not", async () => {
    const urisOf = async (send: Awaited<ReturnType<typeof start>>): Promise<readonly string[]> => {
      const { resources } = (await send({ method: "resources/list" })).body.result;
      return resources.map(({ uri }: { uri: string }) => uri);
    };
    const documented = await start({ apidocs: { mode: "orm", endpoint: "/docs" } });
    expect(await urisOf(documented)).toEqual(["servicekit://docs/llms.txt", "servicekit://docs.json"]);
    const read = await documented({ method: "resources/read", params: { uri: "servicekit://docs.json" } });
    expect(JSON.parse(read.body.result.contents[0].text)).toMatchObject({ openapi: expect.any(String) });
    expect(await urisOf(await start({}, "{}", "production"))).toEqual([]);
  });

  it("accepts requests of pages at the public URL and at named origins only", async () => {
    const statusOf = async (send: Awaited<ReturnType<typeof start>>, origin: string) =>
      (await send(initialize, { origin })).status;
    const cors = { allowedOrigins: ["https://a.example", "*"] };
    const named = await start({ cors, publicUrl: "https://shop.example/base" });
    expect(await statusOf(named, "https://a.example")).toBe(200);
    expect(await statusOf(named, "https://shop.example")).toBe(200);
    for (const origin of ["https://other.example", "*", "null"]) expect(await statusOf(named, origin)).toBe(403);
    for (const config of [{}, { cors: false }] as const)
      expect(await statusOf(await start(config), "https://a.example")).toBe(403);
  });

  it("is not served without its block", async () => {
    const send = await start({ mcp: undefined } as never);
    expect((await send(initialize)).status).toBe(404);
  });
});
