import request from "supertest";
import { afterEach, expect, it } from "vitest";
import { callerOf, ServiceRouter, userIdOf } from "../src/index.js";
import { makeStarter } from "./start.js";

const { create, closeAll, logged } = makeStarter();
afterEach(closeAll);

const warnings = (): unknown[] =>
  logged().flatMap(({ level, msg }) => (level === 40 && String(msg).includes("userIdOf") ? [msg] : []));

it("C86 logs once that a caller without an account has no id of a user, with the route", async () => {
  const router = ServiceRouter();
  router.get({ path: "/caller", authentication: true }, (req, res) => res.json({ id: callerOf(req)?.id }));
  router.get({ path: "/user", authentication: true }, (req, res) => res.json({ id: userIdOf(req) ?? null }));
  router.get({ path: "/anyone", authentication: "optional" }, (req, res) => res.json({ id: userIdOf(req) ?? null }));
  const { app } = await create({
    authentication: {
      mode: "static",
      accounts: false,
      identify: ({ headers }) => (headers["x-user"] === undefined ? undefined : { id: String(headers["x-user"]) }),
    },
    use: [router],
  });
  const idAt = async (path: string, headers: Record<string, string> = { "x-user": "7" }) =>
    (await request(app).get(path).set(headers)).body.id;
  expect([await idAt("/caller"), await idAt("/anyone", {})]).toEqual(["7", null]);
  expect(warnings()).toEqual([]);
  expect([await idAt("/user"), await idAt("/user"), await idAt("/anyone")]).toEqual([null, null, null]);
  expect(warnings()).toEqual([
    expect.stringMatching(
      /^GET \/user \(packages\/service\/test\/missing-users\.test\.ts:\d+\): userIdOf\(request\) is undefined, .* Use callerOf\(request\)\?\.id, or identityOf/,
    ),
  ]);
});
