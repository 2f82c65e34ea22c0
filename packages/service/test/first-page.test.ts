import request from "supertest";
import { afterEach, expect, it } from "vitest";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { makeStarter } from "./start.js";

const { create: start, closeAll } = makeStarter();
afterEach(closeAll);

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
const served = async (nodeEnv: string, config: ServiceInitConfig = {}) =>
  (await start(config, { environment: { NODE_ENV: nodeEnv } })).app;

it.each(["/", "/api", "/api/"])("shows a browser a page with links in development, at %s", async (path) => {
  const app = await served("development");
  const { status, type, text, headers } = await request(app).get(path).set("Accept", browser);
  expect([status, type, headers.vary]).toEqual([200, "text/html", expect.stringContaining("Accept")]);
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link = ""]) => link);
  expect(links).toContain("/api/api-docs");
  for (const link of links) expect([link, (await request(app).get(link)).status]).toEqual([link, 200]);
});

it("links only to routes that exist, and responds to HEAD", async () => {
  const app = await served("development", {
    routers: { disable: ["api-docs", "available-routes", "studio", "health"] },
  });
  const { status, text } = await request(app).get("/").set("Accept", browser);
  expect([status, text.match(/href=/g)]).toEqual([200, null]);
  expect((await request(app).head("/").set("Accept", browser)).type).toBe("text/html");
  expect((await request(app).post("/").set("Accept", browser)).status).toBe(404);
});

it("sends programs JSON, and browsers too outside of development", async () => {
  const app = await served("development");
  for (const accept of ["*/*", "application/json", ""]) {
    const { type, body } = await request(app).get("/api").set("Accept", accept);
    expect([type, Object.keys(body)]).toEqual(["application/json", ["message"]]);
    expect((await request(app).get("/").set("Accept", accept)).status).toBe(404);
  }
  const other = await served("test");
  expect((await request(other).get("/api").set("Accept", browser)).type).toBe("application/json");
  expect((await request(other).get("/").set("Accept", browser)).status).toBe(404);
});

it("leaves the welcome endpoint to its replacement", async () => {
  const welcomeRoute = (_request: unknown, response: { json(body: object): void }) => response.json({ mine: true });
  const app = await served("development", { routers: { welcomeRoute: welcomeRoute as never } });
  expect((await request(app).get("/api").set("Accept", browser)).body).toEqual({ mine: true });
});

it("documents the welcome and the health routes with their schemas", async () => {
  const app = await served("test");
  const { paths } = (await request(app).get("/api/api-docs.json")).body;
  const schemaOf = (path: string, status: string) =>
    paths[path].get.responses[status].content["application/json"].schema;
  const object = { type: "object", additionalProperties: false };
  expect(schemaOf("/api", "200")).toEqual({
    ...object,
    properties: { message: { type: "string" } },
    required: ["message"],
  });
  expect(schemaOf("/api/health/live", "200")).toEqual({
    ...object,
    properties: { status: { const: "live" } },
    required: ["status"],
  });
  expect(schemaOf("/api/health/ready", "503").properties.status.enum).toEqual(["draining", "unavailable"]);
  for (const path of Object.keys(paths)) expect(Object.keys(paths[path].get?.responses ?? {})).not.toContain("2XX");
});

it.each([
  ["development", ["application/json", "text/html"]],
  ["test", ["application/json"]],
])("documents the media types of the welcome message in %s", async (nodeEnv, types) => {
  const { paths } = (await request(await served(nodeEnv)).get("/api/api-docs.json")).body;
  expect(Object.keys(paths["/api"].get.responses["200"].content)).toEqual(types);
});

it("suggests the nearest path for an unknown one", async () => {
  const { body } = await request(await served("test")).get("/api/helth/live");
  expect(body.detail).toBe("No resource exists at this path. Did you mean /api/health/live?");
});
