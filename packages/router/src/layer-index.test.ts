import { type RequestHandler, Router } from "express";
import { describe, expect, it } from "vitest";
import type { LayeredRouter } from "./express-layers.js";
import { layerIndexOf } from "./layer-index.js";

const handler: RequestHandler = () => undefined;

function indexed(fill: (router: Router) => void, options?: { caseSensitive?: boolean; strict?: boolean }) {
  const router = Router(options);
  fill(router);
  return layerIndexOf(router as unknown as LayeredRouter);
}

describe("layerIndexOf", () => {
  it("finds by segments, parameters, prefixes and open patterns, in order", () => {
    const index = indexed((router) => {
      router.use(handler); // 0
      router.get("/a/b", handler); // 1
      router.get("/a/:x", handler); // 2
      router.use("/a", handler); // 3
      router.get("/a/*rest", handler); // 4
      router.get("/c{/:x}", handler); // 5
      router.get(/x/, handler); // 6
      router.get(["/d", "/e"], handler); // 7
      router.post("/a/b", handler); // 8
    });
    expect(index.candidates("/a/b", "GET")).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(index.candidates("/a/q", "GET")).toEqual([0, 2, 3, 4, 5, 6, 7]);
    expect(index.candidates("/A/B/", "POST")).toEqual([0, 3, 8]);
    expect(index.candidates("/a/b", "OPTIONS")).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(index.candidates("/z", "GET")).toEqual([0, 5, 6, 7]);
  });

  it("leaves out nothing when a path has a percent code, since Express may refuse it", () => {
    const index = indexed((router) => router.post("/a/:x", handler));
    expect(index.candidates("/a/%zz", "GET")).toEqual([0]);
    expect(index.candidates("/a/zz", "GET")).toEqual([]);
  });

  it("keeps letter case and trailing slashes apart when the router does", () => {
    const index = indexed((router) => router.get("/A", handler).get("/b/", handler), {
      caseSensitive: true,
      strict: true,
    });
    expect(index.candidates("/A", "GET")).toEqual([0]);
    expect(index.candidates("/a", "GET")).toEqual([]);
    expect(index.candidates("/b/", "GET")).toEqual([1]);
    expect(index.candidates("/b", "GET")).toEqual([]);
  });

  it("asks about as many layers among 10,000 routes as among 10", () => {
    const count = (routes: number): number =>
      indexed((router) => {
        for (let at = 0; at < routes; at++) router.get(`/things-${at}/:id`, handler);
      }).candidates("/things-7/1", "GET").length;
    expect(count(10_000)).toBe(count(10));
  });
});
