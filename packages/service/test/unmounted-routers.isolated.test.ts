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

it("C82 a router with a bodyParser that only an object with a handle calls prevents startup", async () => {
  const router = ServiceRouter().post({ path: "/raw", bodyParser: false }, (_request, response) => response.json({}));
  const hidden = { handle: (...args: Parameters<typeof router>) => router(...args) };
  await expect(create({ use: [hidden] }, development)).rejects.toThrow(
    /POST \/raw \(.*\): bodyParser cannot apply inside an object with a handle, .* Pass the router itself/,
  );
});

it("a router that was never mounted is not reported in tests", async () => {
  ServiceRouter().get({ path: "/unused" }, (_request, response) => response.json({}));
  await create();
  expect(reported()).toEqual([]);
});
