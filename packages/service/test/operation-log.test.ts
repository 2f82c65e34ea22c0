import { sendJson } from "@servicekit/router";
import { afterEach, describe, expect, it } from "vitest";
import { ServiceRouter } from "../src/index.js";
import { makeStarter } from "./start.js";

const { init, closeAll, logged, logText } = makeStarter();
afterEach(closeAll);

const router = ServiceRouter();
router.get({ path: "/files/:owner/*path" }, (req, res) => sendJson(res, 200, { data: req.params }));
router.post({ path: "/reset/:token" }, (_req, res) => sendJson(res, 200, {}));
router.post({ path: "/fail/:token" }, () => {
  const config = { headers: { Authorization: "Bearer canary-1" }, url: "https://a.example/?api_key=canary-2" };
  throw Object.assign(new TypeError('Invalid `create({ data: { password: "canary-3" } })`'), { config });
});
router.get({ path: "/a/:first" }, (_req, _res, next) => next("route"));
router.get({ path: "/:any/:second" }, (_req, res) => sendJson(res, 200, {}));
/** The line of a request is written after its response has been sent, which a client may receive first. */
const whenLogged = (message: string) => expect.poll(() => logged().some(({ msg }) => msg === message)).toBe(true);
const began = () => logged().filter(({ msg }) => msg === "request started");

describe("C42 debugging.requests", () => {
  it("logs the parameters as the handler gets them: decoded, wildcards as lists", async () => {
    const { url } = await init({ use: [router], debugging: { requests: { level: 2 } } });
    const { data } = (await (await fetch(`${url}/files/A%20%C3%A9/b%2Fc/d`)).json()) as { data: object };
    expect(data).toEqual({ owner: "A é", path: ["b/c", "d"] });
    await fetch(`${url}/nothing`);
    expect(began().map(({ params }) => params)).toEqual([data, {}]);
  });

  it.each<[number, readonly string[] | undefined, readonly string[]]>([
    [0, undefined, []],
    [1, undefined, ["request started"]],
    [1, ["Query", "Body"], ["request started"]],
    [2, undefined, ["request started", "params", "query", "headers"]],
    [2, ["Query", "Body"], ["request started", "query"]],
    [3, undefined, ["request started", "params", "query", "headers", "body", "response sent", "bytes"]],
    [3, ["Params", "Body"], ["request started", "params", "body", "response sent", "bytes"]],
  ])("at level %i with the filter %j logs %j", async (level, filter, expected) => {
    const requests = { level, ...(filter === undefined ? {} : { filter }) } as object;
    const { url } = await init({ use: [router], debugging: { requests } });
    await fetch(`${url}/reset/1?page=1`, {
      ...{ method: "POST", body: '{"name":"Ada"}' },
      headers: { "content-type": "application/json" },
    });
    await whenLogged("request");
    const common = ["level", "time", "pid", "hostname", "method", "path", "requestId", "msg"];
    const found = () =>
      logged()
        .filter(({ msg }) => ["request started", "response sent"].includes(String(msg)))
        .flatMap((line) => [String(line.msg), ...Object.keys(line).filter((key) => !common.includes(key))]);
    await expect.poll(found).toEqual(expected);
  });

  it("never logs a secret: in bodies and queries at any depth, in headers, in URLs, in the path", async () => {
    const { url } = await init({ use: [router], debugging: { requests: { level: 3 } } });
    const query = "filter[user][password]=canary-1&resetToken=canary-2&a__pwd__equals=canary-3&page=1";
    await fetch(`${url}/reset/canary-4?${query}`, {
      method: "POST",
      headers: {
        referer: "https://a.example/reset?token=canary-5&page=1",
        "x-private-key": "canary-6",
        "proxy-authorization": "Basic canary-7",
        "x-forwarded-uri": "/b?client_secret=canary-8",
        "content-type": "application/json",
      },
      body: JSON.stringify({ users: [{ profile: { passcode: "canary-9", accessKey: "canary-10", name: "Ada" } }] }),
    });
    const [line] = began();
    expect(line).toMatchObject({
      path: "/reset/:token",
      params: { token: "***" },
      query: expect.objectContaining({ resetToken: "***" }),
      headers: { referer: "https://a.example/reset?token=***&page=1", "x-forwarded-uri": "/b?client_secret=***" },
      body: { users: [{ profile: { passcode: "***", accessKey: "***", name: "Ada" } }] },
    });
    await whenLogged("request");
    expect(logText()).not.toContain("canary");
  });

  it("never logs a secret of an error, whatever a library put into it", async () => {
    const { url } = await init({ use: [router] });
    await fetch(`${url}/fail/canary-0`, { method: "POST" });
    await whenLogged("request");
    const [line] = logged().filter(({ msg }) => msg === "unexpected error");
    expect(line).toMatchObject({
      path: "/fail/:token",
      err: { type: "TypeError", config: { headers: { Authorization: "***" } } },
    });
    const { stack } = Object(line?.err) as { stack: string };
    expect(stack).toContain("operation-log.test");
    expect(logText()).not.toContain("canary");
  });
});

it("C42 the access log contains the matched route", async () => {
  const { url } = await init({ use: [router] });
  await fetch(`${url}/a/7`);
  await whenLogged("request");
  expect(
    logged()
      .filter(({ msg }) => msg === "request")
      .map(({ route }) => route),
  ).toEqual(["/:any/:second"]);
});
