import request from "supertest";
import { afterEach, expect, it } from "vitest";
import type { ServiceInitConfig } from "../src/config/service-config.js";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
afterEach(closeAll);

const own = ServiceRouter();
own.get({ path: "/about", experimental: { openapi: false } }, (_request, response) => void response.send("<p>Us</p>"));
const csv = { 200: { description: "Rows.", content: { "text/csv": { schema: { type: "string" } } } } };
own.get({ path: "/rows", experimental: { openapi: { responses: csv } } }, (_request, response) => {
  response.type("text/csv").send("a,b");
});

const config: ServiceInitConfig = { use: [own], metrics: { path: "/metrics", auth: false } };
const docs = "/api/api-docs";
const reported: readonly (readonly [path: string, type: string])[] = [
  ["/api", "application/json"],
  ["/api/health/live", "application/json"],
  ["/api/available-routes", "application/json"],
  [docs, "text/html"],
  [`${docs}.json`, "application/json"],
  [`${docs}.yaml`, "application/yaml"],
  [`${docs}/reference`, "text/html"],
  [`${docs}/llms.txt`, "text/plain"],
  [`${docs}/schemas.json`, "application/schema+json"],
  [`${docs}/scalar-init.js`, "text/javascript"],
  ["/metrics", "text/plain"],
  ["/about", "text/html"],
  ["/rows", "text/csv"],
];

it("C5 no route is rejected for its own media type", async () => {
  const { app } = await create(config);
  for (const [path, type] of reported) {
    const any = await request(app).get(path);
    const only = await request(app).get(path).set("Accept", type);
    expect([path, any.status, any.type, only.status, only.type]).toEqual([path, 200, type, 200, type]);
  }
  for (const path of ["/api", "/api/health/live", "/metrics", "/rows", `${docs}.yaml`]) {
    expect([path, (await request(app).get(path).set("Accept", "image/png")).status]).toEqual([path, 406]);
  }
});

it("C5 the first page is shown in development to a client that accepts only HTML", async () => {
  const { app } = await create(config, { environment: { NODE_ENV: "development" } });
  const { status, type } = await request(app).get("/api").set("Accept", "text/html");
  expect([status, type]).toEqual([200, "text/html"]);
});
