import { type RequestHandler, Router } from "express";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DeclaredRoute, makeApp, makeRouteTable, ServiceRouter } from "../src/index.js";
import { bindRoutes, declareRoute } from "../src/internal.js";

const ok: RequestHandler = (_request, response) => {
  response.json({ ok: true });
};
const _literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

describe("the route table", () => {
  const inner = ServiceRouter().get({ path: "/:id" }, ok).delete({ path: "/:id" }, ok);
  const plain = Router().get("/list", ok).all("/any", ok);
  const app = makeApp();
  const { table } = bindRoutes(app, { global: [], route: [] });
  app.use("/api/users", inner);
  app.use(["/p", "/q"], plain);
  app.all("/every/*rest", ok);
  app.get("/every/one", ok);
  app.get(/^\/pattern\d$/, ok);

  it("lists every route with its full path, in Express's order", () => {
    expect(
      table().entries.map(({ method, path, route, position }) => [method, path, route !== undefined, position]),
    ).toEqual([
      ["GET", "/api/users/:id", true, 0],
      ["DELETE", "/api/users/:id", true, 1],
      ["GET", "/p/list", false, 2],
      ["*", "/p/any", false, 3],
      ["GET", "/q/list", false, 4],
      ["*", "/q/any", false, 5],
      ["*", "/every/*rest", false, 6],
      ["GET", "/every/one", false, 7],
      ["GET", "/^\\/pattern\\d$/", false, 8],
    ]);
  });

  it("finds the route that Express would reach", () => {
    const found = (method: string, path: string) => table().find(method, path)?.template;
    expect(found("GET", "/api/users/7")).toBe("/api/users/:id");
    expect(found("HEAD", "/API/Users/7/")).toBe("/api/users/:id");
    expect(found("POST", "/api/users/7")).toBeUndefined();
    expect(found("GET", "/api/usersx/7")).toBeUndefined();
    expect(found("GET", "/q/list")).toBe("/q/list");
    expect(found("GET", "/pattern1")).toBe("/^\\/pattern\\d$/");
    expect(found("GET", "/api/users/%zz")).toBeUndefined();
  });

  it("reads the path parameters: decoded, wildcards as lists, those of mounted routers if they are merged", () => {
    const own = makeApp();
    const merging = ServiceRouter({ mergeParams: true })
      .get({ path: "/files/*path" }, ok)
      .get({ path: "{/:page}" }, ok);
    own.use("/shops/:shop", ServiceRouter().use("/users/:user", merging));
    own.use("/plain/:shop", ServiceRouter().get({ path: "/:id" }, ok));
    own.get(/^\/v(\d)\/(?<name>\w+)$/, ok);
    const { table: read } = bindRoutes(own, { global: [], route: [] });
    const params = (path: string) => ({ ...read().find("GET", path)?.params });
    expect(params("/shops/1/users/A%20%C3%A9/files/a%2Fb/c")).toEqual({ user: "A é", path: ["a/b", "c"] });
    expect(params("/shops/1/users/2")).toEqual({ user: "2" });
    expect(params("/plain/1/%E2%82%AC")).toEqual({ id: "€" });
    expect(params("/v2/name")).toMatchObject({ name: "name" });
    expect(read().find("GET", "/plain/1/%zz")).toBeUndefined();
  });

  it("finds later routes after a route of all", () => {
    expect(table().find("GET", "/every/one")?.template).toBe("/every/one");
    expect(table().find("POST", "/every/one")?.template).toBe("/every/*rest");
  });

  it("returns the methods of a path", () => {
    expect(table().methodsAt("/api/users/7")).toEqual(["DELETE", "GET", "HEAD"]);
    expect(table().methodsAt("/p/any")).toEqual(["*"]);
    expect(table().methodsAt("/nowhere")).toEqual([]);
  });

  it("contains routes that are added later, and a router mounted in itself only once", () => {
    const own = ServiceRouter();
    const live = makeRouteTable(own);
    expect(live.find("GET", "/later")).toBeUndefined();
    own.get("/later", ok).use("/again", own);
    expect(live.find("GET", "/later")?.template).toBe("/later");
    expect(live.entries).toHaveLength(1);
  });

  it("finds the route that Express reaches, with Express's parameters", async () => {
    const part = fc.constantFrom("a", "b", ":x", ":y", "*rest", "A");
    const path = fc
      .array(part, { minLength: 1, maxLength: 3 })
      .map((parts) => `/${parts.join("/")}`)
      .filter((text) => !/\*rest\/\*rest/.test(text));
    const entry = fc.record({
      method: fc.constantFrom("get", "post"),
      path,
      mount: fc.option(path, { nil: undefined }),
      mergeParams: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 16 }),
        fc.array(fc.constantFrom("a", "b", "A", "%41", "%2Fa%20", "é", ""), { maxLength: 5 }),
        fc.constantFrom("GET", "POST", "HEAD"),
        async (registrations, parts, method) => {
          const router = ServiceRouter();
          for (const [index, { method: verb, path, mount, mergeParams }] of registrations.entries()) {
            const target = mount === undefined ? router : ServiceRouter({ mergeParams });
            declareRoute(target, {
              method: verb as "get",
              config: { path },
              handlers: [
                ({ params }, response) =>
                  (response as unknown as { reach(at: object): void }).reach({
                    place: `${index}`,
                    params: { ...params },
                  }),
              ],
              origin: { place: `${index}` },
            });
            if (mount !== undefined) router.use(mount, target);
          }
          const url = `/${parts.join("/")}`;
          const reached = await new Promise((resolve) => {
            router({ method, url, headers: {} } as never, { reach: resolve } as never, () => resolve(undefined));
          });
          const found = makeRouteTable(router).find(method, url);
          expect(found && { place: found.route?.origin.place, params: { ...found.params } }).toEqual(reached);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("returns the declaration itself", () => {
    const route = table().find("GET", "/api/users/7")?.route as DeclaredRoute;
    expect(route.config.path).toBe("/:id");
  });
});
