import { afterEach, describe, expect, it } from "vitest";
import { makeStarter } from "./start.js";

const { init, logged, closeAll } = makeStarter();
afterEach(closeAll);

const warnings = (): unknown[] =>
  logged().flatMap(({ level, msg }) => (level === 40 && /prox/i.test(String(msg)) ? [msg] : []));
const forwarded = { headers: { "x-forwarded-for": "203.0.113.7" } };

describe("trustProxy", () => {
  it("warns once of an unconfigured proxy", async () => {
    const { url } = await init();
    await fetch(`${url}/api`);
    expect(warnings()).toEqual([]);
    await fetch(`${url}/api`, forwarded);
    await fetch(`${url}/api`, forwarded);
    expect(warnings()).toEqual([expect.stringMatching(/X-Forwarded-For.*TRUST_PROXY/)]);
  });

  it("warns once if every proxy is trusted", async () => {
    const { url } = await init({ trustProxy: true });
    await fetch(`${url}/api`, forwarded);
    expect(warnings()).toEqual([expect.stringMatching(/^trustProxy is true/)]);
  });

  it.each([false, 1, "loopback"])("is silent if it is configured: %s", async (trustProxy) => {
    const { url } = await init({ trustProxy });
    await fetch(`${url}/api`, forwarded);
    expect(warnings()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ["true", true],
    ["false", false],
    ["2", 2],
    [" 2 ", 2],
    ["10.0.0.0/8, loopback", "10.0.0.0/8, loopback"],
  ])("is read from TRUST_PROXY=%s, and from the same text in code", async (text, value) => {
    const { app } = await init({}, { environment: { NODE_ENV: "test", TRUST_PROXY: text } });
    expect(app.get("trust proxy")).toEqual(value);
    expect((await init({ trustProxy: text })).app.get("trust proxy")).toEqual(value);
  });
});
