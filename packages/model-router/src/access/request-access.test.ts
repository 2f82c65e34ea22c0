import { readModels } from "@servicekit/prisma";
import type { Request } from "express";
import { expect, it } from "vitest";
import { models as shelf } from "../../test/generated/shelf/models.js";
import { defaultModelRouterSettings } from "../settings.js";
import { makeAccess } from "./request-access.js";

/** Access to a shelf where every model has rules, and the number of its evaluations. */
function guardedShelf(rightsOf?: (request: Request) => object | undefined) {
  const models = readModels(shelf);
  let requested = 0;
  const allows = () => ++requested < 0;
  const access = makeAccess({
    models,
    paths: new Map([...models.keys()].map((name) => [name, name.toLowerCase()])),
    settings: defaultModelRouterSettings,
    access: { allows, ...(rightsOf === undefined ? {} : { rightsOf }) },
  });
  return { access, requested: () => requested, count: models.size };
}

it("C57 C71 the view of callers with equal access is computed once, however many models there are", async () => {
  const [one, other] = [{}, {}];
  const { access, requested, count } = guardedShelf((request) => (request.url === "/one" ? one : other));
  const first = await access.find({ url: "/one" } as Request);
  expect(requested()).toBeGreaterThan(count / 2);
  const before = requested();
  const again = await access.find({ url: "/one" } as Request);
  expect([requested(), again.view]).toEqual([before, first.view]);
  await access.find({ url: "/other" } as Request);
  expect(requested()).toBe(2 * before);
});

it("C57 an uncacheable result is computed each time", async () => {
  const { access, requested } = guardedShelf();
  await access.find({} as Request);
  const before = requested();
  await access.find({} as Request);
  expect(requested()).toBe(2 * before);
});
