import path from "node:path";
import express from "express";
import request from "supertest";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { type ServedSchema, serveSchema } from "./served-schema.js";
import { makeStarter } from "./start.js";

const { create, closeAll } = makeStarter();
let served: ServedSchema;
const folder = (name: string) => path.join(import.meta.dirname, name, "notes");

beforeAll(async () => {
  served = await serveSchema(inject("postgresUrl"), {
    generated: folder("generated"),
    schema: { directory: folder("fixtures") },
  });
});
afterAll(async () => {
  await closeAll();
  await served?.close();
});

const reply =
  (text: string): express.RequestHandler =>
  (requested, response) =>
    void response.json({ text, params: requested.params });

async function start(use: express.RequestHandler[], additional: express.RequestHandler[] = []) {
  const { models } = await import(path.join(folder("generated"), "models.ts"));
  const { PrismaClient } = await import(path.join(folder("generated"), "client/client.ts"));
  const { app } = await create(
    {
      database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
      use,
      routers: { additional },
    },
    { environment: { NODE_ENV: "test", DATABASE_URL: served.databaseUrl } },
  );
  return app;
}

describe("C54 a path of an application's router that a generated route matches with a parameter", () => {
  const declared = () =>
    ServiceRouter()
      .get({ path: "/api/notes/top" }, reply("top"))
      .patch({ path: "/api/notes/many-more" }, reply("more"))
      .get({ path: "/api/:resource/first" }, reply("first"));

  it.each<[string, (router: ServiceRouter) => Promise<express.Express>]>([
    ["of use", (router) => start([router])],
    ["of routers.additional", (router) => start([], [router])],
    ["below a prefix", (router) => start([express.Router().use("/", router)])],
  ])("C54 belongs to the router that declares it: %s", async (_place, serve) => {
    const app = await serve(declared());
    expect((await request(app).get("/api/notes/top")).body.text).toBe("top");
    expect((await request(app).head("/api/notes/top")).status).toBe(200);
    expect((await request(app).get("/api/Notes/TOP/")).body.text).toBe("top");
    expect((await request(app).patch("/api/notes/many-more").send({})).body.text).toBe("more");
    // Other methods of the path, other paths, and those that the generated route matches as specifically stay
    // generated.
    expect((await request(app).delete("/api/notes/top")).body.code).not.toBe("MethodNotAllowed");
    expect((await request(app).get("/api/notes/first")).body.text).toBeUndefined();
    expect((await request(app).get("/api/others/first")).body.text).toBe("first");
    expect((await request(app).get("/api/notes")).body).toHaveProperty("data");
    expect((await request(app).options("/api/notes/top")).headers.allow).toBe("DELETE, GET, HEAD, PATCH");
  });

  it("C54 is matched with the steps of its own declaration", async () => {
    const router = ServiceRouter().get(
      { path: "/api/notes/top", rateLimit: { windowMs: 60_000, max: 1 } },
      reply("top"),
    );
    const app = await start([router]);
    expect((await request(app).get("/api/notes/top")).status).toBe(200);
    expect((await request(app).get("/api/notes/top")).status).toBe(429);
    expect((await request(app).get("/api/notes/1")).status).not.toBe(429);
  });

  it("C54 belongs to the router also if the route is a plain Express route", async () => {
    const app = await start([express.Router().get("/api/notes/top", reply("plain"))]);
    expect((await request(app).get("/api/notes/top")).body.text).toBe("plain");
  });
});
