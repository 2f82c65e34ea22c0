import { type RequestHandler, Router } from "express";
import { expect, it } from "vitest";
import { growth, inProportion } from "../../../scripts/test/measure.js";
import type { LayeredRouter } from "./express-layers.js";
import { layerIndexOf } from "./layer-index.js";

const handler: RequestHandler = () => undefined;

it("is slowed by a hostile path no more than in proportion to its length", async () => {
  const router = Router();
  for (let depth = 1; depth < 12; depth++) {
    router.get(`/${Array.from({ length: depth }, (_, at) => (at % 2 ? "a" : ":x")).join("/")}`, handler);
    router.get(`/${Array.from({ length: depth }, (_, at) => (at % 3 ? ":y" : "a")).join("/")}`, handler);
  }
  const index = layerIndexOf(router as unknown as LayeredRouter);
  const find = (count: number) => {
    for (let round = 0; round < 20; round++) index.candidates(`/${"a/".repeat(count)}`, "GET");
  };
  expect(await growth(find, 4_000)).toBeLessThan(inProportion);
});
