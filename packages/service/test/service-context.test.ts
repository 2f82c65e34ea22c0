import { ServiceRouter } from "@servicekit/router";
import { afterEach, expect, it } from "vitest";
import { service } from "../src/index.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logText } = makeStarter();
afterEach(closeAll);

const contextOf = service.context();

it("returns to a declared handler the logger, the mailer and the database of its own service", async () => {
  const router = ServiceRouter();
  router.get({ path: "/log" }, (request, response) => {
    const { logger, mailer } = contextOf(request);
    logger.info("logged by a handler");
    response.json({ sends: typeof mailer.send });
  });
  for (const name of ["client", "database", "read"] as const)
    router.get({ path: `/${name}` }, (request, response) => void response.json(contextOf(request)[name]));
  const { url } = await init({ use: [router] });
  expect(await (await fetch(`${url}/log`)).json()).toEqual({ sends: "function" });
  expect(logText()).toContain("logged by a handler");
  for (const name of ["client", "database", "read"]) {
    expect((await fetch(`${url}/${name}`)).status).toBe(500);
    expect(logText()).toContain(`The context has no ${name}: no database is configured.`);
  }
});

it("throws a clear error without a service", () => {
  expect(() => contextOf({ app: { locals: {} } } as never)).toThrow("is not handled by a service");
});
