import { afterEach, expect, it } from "vitest";
import { makeStarter } from "./start.js";

const { create, closeAll, logged } = makeStarter();
afterEach(closeAll);

const warnings = (): unknown[] => logged().flatMap(({ level, msg }) => (level === 40 ? [msg] : []));

it("C72 logs nothing of revoked tokens if the service issues none", async () => {
  const environment = { NODE_ENV: "production" };
  const identify = () => undefined;
  await create({ authentication: { mode: "static", accounts: false, identify } }, { environment });
  expect(warnings().filter((text) => String(text).includes("revoked"))).toEqual([]);
});

it.each([
  ["production", 1],
  ["development", 0],
  ["test", 0],
])("C61 without authentication %s warns %i times that every route is open", async (NODE_ENV, times) => {
  await create({}, { environment: { NODE_ENV } });
  expect(warnings().filter((text) => String(text).includes("every route is open to everyone"))).toHaveLength(times);
});
