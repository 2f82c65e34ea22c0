import { readModels } from "@servicekit/prisma";
import type { Request } from "express";
import { expect, it } from "vitest";
import { models as shelf } from "../../test/generated/shelf/models.js";
import { defaultModelRouterSettings } from "../settings.js";
import { makeAccess } from "./request-access.js";

/** Access to a shelf where every model has rules, and the number of its evaluations. */
function guardedShelf(rightsOf?: (request: Request) => object | undefined) {
  const models = readModels(shelf);
  let checks = 0;
  const allows = () => ++checks < 0;
  const access = makeAccess({
    models,
    paths: new Map([...models.keys()].map((name) => [name, name.toLowerCase()])),
    settings: defaultModelRouterSettings,
    access: { allows, ...(rightsOf === undefined ? {} : { rightsOf }) },
  });
  return { access, checks: () => checks, count: models.size };
}

it("C57 C71 the view of callers with equal access is computed once, however many models there are", async () => {
  const [one, other] = [{}, {}];
  const { access, checks, count } = guardedShelf((request) => (request.url === "/one" ? one : other));
  const first = await access.find({ url: "/one" } as Request);
  expect(checks()).toBeGreaterThan(count / 2);
  const before = checks();
  const again = await access.find({ url: "/one" } as Request);
  expect([checks(), again.view]).toEqual([before, first.view]);
  await access.find({ url: "/other" } as Request);
  expect(checks()).toBe(2 * before);
});

it("C57 an uncacheable result is computed each time", async () => {
  const { access, checks } = guardedShelf();
  await access.find({} as Request);
  const before = checks();
  await access.find({} as Request);
  expect(checks()).toBe(2 * before);
});
