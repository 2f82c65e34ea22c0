import http from "node:http";
import type { AddressInfo } from "node:net";
import { ServiceRouter } from "@servicekit/router";
import express, { type Express } from "express";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Service } from "../src/assembly/service.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
const servers: http.Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((done) => server.close(done));
  await closeAll();
});

async function makeShop(): Promise<Service> {
  const items = ServiceRouter();
  items.get({ path: "/items" }, (_request, response) => response.json({ items: [] }));
  items.post({ path: "/items", validation: { body: z.object({ name: z.string() }) } }, (request, response) =>
    response.status(201).json(request.body),
  );
  return create({ use: [items], apidocs: { mode: "orm" } });
}

/** A host application with routes of its own before and after the service. */
async function serveHost(mount: (host: Express, service: Service) => void) {
  const service = await makeShop();
  const host = express();
  host.get("/before", (_request, response) => void response.send("before"));
  mount(host, service);
  host.post(
    "/later",
    express.text({ type: "*/*" }),
    (request, response) => void response.send(`later ${request.body}`),
  );
  host.get("/shop/later", (_request, response) => void response.send("below the same path"));
  host.use((_request, response) => void response.status(404).send("the host's own 404"));
  const server = http.createServer(host).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((done) => server.once("listening", done));
  const { port } = server.address() as AddressInfo;
  const call = async (path: string, init?: RequestInit) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  return { call, service };
}

describe("a service in a host application", () => {
  it.each<[string, string, (host: Express, service: Service) => void]>([
    ["mounted at a path", "/shop", (host, { app }) => host.use("/shop", app)],
    ["mounted at the root", "", (host, { app }) => host.use(app)],
    ["mounted in a router of the host", "/shop", (host, { app }) => host.use("/shop", express.Router().use(app))],
    ["called by a handler of the host", "/shop", (host, { app }) => host.use("/shop", (q, s, next) => app(q, s, next))],
  ])("%s handles its own requests and passes on the rest", async (_, prefix, mount) => {
    const { call } = await serveHost(mount);
    expect((await call("/before")).text).toBe("before");
    const post = (name: unknown): RequestInit => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    expect(await call(`${prefix}/items`, post("a"))).toMatchObject({ status: 201, text: '{"name":"a"}' });
    expect((await call(`${prefix}/items`, post(1))).status).toBe(400);
    expect((await call(`${prefix}/items`, { method: "DELETE" })).status).toBe(405);
    expect((await call(`${prefix}/api/health/live`)).status).toBe(200);
    const later = await call("/later", { method: "POST", headers: { "content-type": "a/b" }, body: "{not json" });
    expect([later.status, later.text]).toEqual([200, "later {not json"]);
    expect([later.headers.get("x-request-id"), later.headers.get("content-security-policy")]).toEqual([null, null]);
    expect((await call("/shop/later")).text).toBe("below the same path");
    expect(await call(`${prefix}/api/nothing`)).toMatchObject({ status: 404, text: "the host's own 404" });
    const document = JSON.parse((await call(`${prefix}/api/api-docs.json`)).text);
    expect(document.servers).toEqual([{ url: prefix || "/" }]);
    expect((await call(`${prefix}/api/api-docs`)).status).toBe(200);
  });

  it("leaves the first page to its host in development", async () => {
    const { app } = await create({}, { environment: { NODE_ENV: "development" } });
    const host = express()
      .use(app)
      .get("/", (_request, response) => void response.send("the host's first page"));
    const server = http.createServer(host).listen(0, "127.0.0.1");
    servers.push(server);
    await new Promise((done) => server.once("listening", done));
    const { port } = server.address() as AddressInfo;
    const read = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { headers: { accept: "text/html" } })).text();
    expect(await read("/")).toBe("the host's first page");
    expect(await read("/api")).toContain("This is an API");
  });

  it("alone returns 404 itself, and its document is at the root", async () => {
    const service = await makeShop();
    servers.push(service.server.listen(0, "127.0.0.1"));
    await new Promise((done) => service.server.once("listening", done));
    const { port } = service.server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/nothing`);
    expect([response.status, response.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
    expect((await service.openapi()).servers).toEqual([{ url: "/" }]);
  });
});
