import express, { type RequestHandler, Router } from "express";
import request from "supertest";
import { describe, expect, it } from "vitest";
import { makeApp, makeRouteTable, ServiceRouter } from "../src/index.js";
import { closeMethods, joinRouters } from "../src/internal.js";

const reply =
  (name: string): RequestHandler =>
  ({ baseUrl, url, params }, response) => {
    response.json([name, baseUrl, url, params]);
  };

function served(...mounted: Parameters<typeof joinRouters>[0]) {
  const app = makeApp();
  app.use(joinRouters(mounted));
  const get = async (path: string) => (await request(app).get(path)).body;
  return { app, get, table: makeRouteTable(app.router) };
}

describe("joinRouters", () => {
  it("calls each router as if it was mounted at its path, and lists its routes in the route table", async () => {
    const rows = ServiceRouter().get({ path: "/rows/:id" }, reply("rows"));
    const files = ServiceRouter().get({ path: "/files/:id" }, reply("files"));
    const { get, table } = served(["/api", ServiceRouter().use(joinRouters([["/", rows]]))], ["/", files]);
    expect(await get("/api/rows/1?a=1")).toEqual(["rows", "/api", "/rows/1?a=1", { id: "1" }]);
    expect(await get("/files/2")).toEqual(["files", "", "/files/2", { id: "2" }]);
    expect(table.entries.map(({ path }) => path)).toEqual(["/api/rows/:id", "/files/:id"]);
    expect(table.find("GET", "/api/rows/1")?.template).toBe("/api/rows/:id");
  });

  it("tries routers in their order, those with plain handlers and those of Express for every path below them", async () => {
    const seen: string[] = [];
    const note =
      (name: string): RequestHandler =>
      (_request, _response, next) => {
        seen.push(name);
        next();
      };
    const { get } = served(
      ["/api", ServiceRouter().get("/a", note("first"))],
      ["/api", ServiceRouter().get("/b", note("never"))],
      ["/api", ServiceRouter().use(note("handler"))],
      ["/api", Router().use(note("express"))],
      ["/elsewhere", Router().use(note("never"))],
      [
        "/",
        ServiceRouter()
          .use(closeMethods(["POST"]))
          .get("/api/:x", reply("last")),
      ],
    );
    expect((await get("/api/a"))[0]).toBe("last");
    expect(seen).toEqual(["first", "handler", "express"]);
  });

  it("chooses again when a handler has rewritten the URL, never an earlier router", async () => {
    const rewrite = ServiceRouter().get("/old", (requested, _response, next) => {
      requested.url = "/new";
      next();
    });
    const { get } = served(
      ["/", ServiceRouter().get("/new", reply("too early"))],
      ["/", rewrite],
      ["/", ServiceRouter().get("/old", reply("never"))],
      ["/", ServiceRouter().get("/new", reply("new"))],
    );
    expect((await get("/old"))[0]).toBe("new");
  });

  it("notices routes that are added to its routers later", async () => {
    const router = ServiceRouter().get("/a", reply("a"));
    const { get, table } = served(["/", router]);
    expect((await get("/a"))[0]).toBe("a");
    router.get("/b", reply("b"));
    expect((await get("/b"))[0]).toBe("b");
    expect(table.find("GET", "/b")?.template).toBe("/b");
  });

  it("passes an error to the error handlers behind it, and a request without a route on", async () => {
    const failing = ServiceRouter().get("/fail", () => {
      throw new Error("failed");
    });
    const app = express()
      .use(joinRouters([["/", failing]]))
      .use(((error: Error, _request, response, _next) => {
        response.send(error.message);
      }) as express.ErrorRequestHandler);
    expect((await request(app).get("/fail")).text).toBe("failed");
    expect((await request(app).get("/nowhere")).status).toBe(404);
  });
});
