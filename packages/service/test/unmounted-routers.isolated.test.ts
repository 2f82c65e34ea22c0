import { ServiceRouter } from "@servicekit/router";
import { Router } from "express";
import { afterEach, expect, it } from "vitest";
import { makeStarter } from "./start.js";

const { create, closeAll, logged } = makeStarter();
afterEach(closeAll);

const reported = (): unknown[] =>
  logged().flatMap(({ msg }) => (String(msg).includes("is not mounted where the service") ? [msg] : []));
const development = { environment: { NODE_ENV: "development" } };

it("a router that was never mounted is reported once at startup, with its place", async () => {
  const mounted = ServiceRouter().get({ path: "/mounted" }, (_request, response) => response.json({}));
  const inner = ServiceRouter().get({ path: "/inner" }, (_request, response) => response.json({}));
  const forgotten = ServiceRouter().get({ path: "/forgotten" }, (_request, response) => response.json({}));
  await create({ use: [mounted, Router().use("/below", inner)] }, development);
  expect(reported()).toEqual([
    expect.stringMatching(
      /^The router of GET \/forgotten \(packages\/service\/test\/unmounted-routers\.isolated\.test\.ts:\d+\) is not mounted where/,
    ),
  ]);
  await closeAll();
  await create({ use: [forgotten] }, development);
  expect(reported()).toEqual([]);
});

it("a router that was never mounted is not reported in tests", async () => {
  ServiceRouter().get({ path: "/unused" }, (_request, response) => response.json({}));
  await create();
  expect(reported()).toEqual([]);
});
