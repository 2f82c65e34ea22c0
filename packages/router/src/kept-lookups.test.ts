import express, { type RequestHandler } from "express";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type LayerPlace, markRole } from "./direct-dispatch.js";
import type { ExpressRoute } from "./express-layers.js";
import { keepLookups } from "./kept-lookups.js";
import { findRoute, type RouteLookup } from "./route-table.js";
import { ServiceRouter } from "./service-router.js";

const passing = (): RequestHandler => (_request, _response, next) => next();

interface Declared {
  readonly method: "get" | "post" | "all";
  readonly path: string;
}
interface Part {
  readonly mount: string;
  readonly kind: "router" | "plain" | "merging" | "guarded" | "cased";
  readonly routes: readonly Declared[];
}

const segment = fc.constantFrom("a", "B", ":id", ":id", ":id", ":other", "1", "c.d", "v:id", "{:id}", "%41");
const pattern = fc
  .tuple(fc.array(segment, { maxLength: 2 }), fc.constantFrom("", "", "", "/*rest", "/"))
  .map(([parts, end]) => `/${parts.join("/")}${end}`.replace("//", "/"));
/** A pattern must not name a parameter twice. */
const namesOnce = (text: string): boolean => text.split(":id").length < 3 && text.split(":other").length < 3;
const declared: fc.Arbitrary<Declared> = fc.record({
  method: fc.constantFrom("get", "get", "get", "post", "all"),
  path: fc.oneof(fc.constantFrom("/:id", "/a/:id", "/b/:id"), pattern.filter(namesOnce)),
});
const part: fc.Arbitrary<Part> = fc.record({
  mount: fc.constantFrom("/", "/", "/a", "/a/b", "/:other", "/a/:id"),
  kind: fc.constantFrom("router", "router", "router", "router", "router", "plain", "merging", "guarded", "cased"),
  routes: fc.array(declared, { minLength: 1, maxLength: 5 }),
});
const word = fc.constantFrom("a", "A", "b", "1", "2", "77", "c.d", "v5", "%41", "%zz", "", "__proto__");
const asked = fc.tuple(
  fc.constantFrom("GET", "GET", "GET", "POST", "HEAD"),
  fc.oneof(
    fc.tuple(fc.constantFrom("", "/a", "/a", "/b", "/a/b", "/a/a"), word).map(([before, end]) => `${before}/${end}`),
    fc.array(word, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`),
  ),
);

/** What of two lookups can be compared. */
function told({ found, way, end, entry }: RouteLookup): unknown {
  const placeOf = (place: LayerPlace | undefined): unknown =>
    place && [place.router.stack.length, place.position, place.path, placeOf(place.above)];
  return {
    found: found && [found.template, Object.entries(found.params), Object.getPrototypeOf(found.params)],
    way: way && [way.baseUrl, way.path, Object.entries(way.params), placeOf(way.place), way.params === found?.params],
    end: placeOf(end?.place),
    entry: placeOf(entry),
  };
}

const routeOf = ({ way }: RouteLookup): ExpressRoute | undefined => way?.route;

let alike = 0;

it("C59 a kept lookup is that of the routers as they are, whatever stands in the place of a parameter", () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.array(asked, { minLength: 2, maxLength: 20 }),
      fc.option(fc.tuple(fc.nat({ max: 19 }), declared)),
      (parts, requests, later) => {
        const app = express.Router();
        app.use(markRole(passing(), "entry"));
        for (const { mount, kind, routes } of parts) {
          const router =
            kind === "plain"
              ? express.Router()
              : ServiceRouter({ mergeParams: kind === "merging", caseSensitive: kind === "cased" });
          if (kind === "guarded") router.param("id", (_request, _response, next) => next());
          for (const { method, path } of routes) {
            if (kind === "plain" || method === "all") router[method](path, passing());
            else (router as ReturnType<typeof ServiceRouter>)[method]({ path }, passing());
          }
          app.use(mount, router);
        }
        const find = keepLookups(app);
        requests.forEach(([method, path], at) => {
          if (later !== null && later[0] === at) app[later[1].method](later[1].path, passing());
          const kept = find(method, path);
          const fresh = findRoute(app, method, path);
          expect([method, path, told(kept)]).toEqual([method, path, told(fresh)]);
          expect(routeOf(kept)).toBe(routeOf(fresh));
          expect(kept.found?.route).toBe(fresh.found?.route);
          if (fresh.found?.template.endsWith("/:id") && routeOf(kept) !== undefined) alike++;
        });
      },
    ),
    { numRuns: Number(process.env.LOOKUP_RUNS ?? 300) },
  );
  expect(alike).toBeGreaterThan(100);
});
