import { readModels } from "@servicekit/prisma";
import type { Request } from "express";
import { expect, it } from "vitest";
import { models as shelf } from "../../test/generated/shelf/models.js";
import { defaultModelRouterSettings } from "../settings.js";
import { makeAccess } from "./request-access.js";

/** Access to a shelf where every model is closed, and how often it was asked. */
function guardedShelf(rightsOf?: (request: Request) => object | undefined) {
  const models = readModels(shelf);
  let asked = 0;
  const allows = () => ++asked < 0;
  const access = makeAccess({
    models,
    paths: new Map([...models.keys()].map((name) => [name, name.toLowerCase()])),
    settings: defaultModelRouterSettings,
    access: { allows, ...(rightsOf === undefined ? {} : { rightsOf }) },
  });
  return { access, asked: () => asked, count: models.size };
}

it("C57 C71 what callers of the same rights may see is found out once, however many models there are", async () => {
  const [one, other] = [{}, {}];
  const { access, asked, count } = guardedShelf((request) => (request.url === "/one" ? one : other));
  const first = await access.find({ url: "/one" } as Request);
  expect(asked()).toBeGreaterThan(count / 2);
  const before = asked();
  const again = await access.find({ url: "/one" } as Request);
  expect([asked(), again.view]).toEqual([before, first.view]);
  await access.find({ url: "/other" } as Request);
  expect(asked()).toBe(2 * before);
});

it("C57 what is told each time is asked each time", async () => {
  const { access, asked } = guardedShelf();
  await access.find({} as Request);
  const before = asked();
  await access.find({} as Request);
  expect(asked()).toBe(2 * before);
});
