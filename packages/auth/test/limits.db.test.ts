import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { PrismaClient } from "./generated/static/client/client.js";
import { models as data } from "./generated/static/models.js";
import { type Opened, openFixture, type Served, type ServeOptions, serveAuth } from "./serve-auth.js";

let opened: Opened<PrismaClient>;
let served: Served | undefined;

/** With the default limit, but a window that outlasts every test. */
async function serve(options: Partial<ServeOptions> = {}): Promise<Served> {
  served = await serveAuth({
    database: opened.database,
    config: { rateLimit: { windowMs: 60_000 }, login: { allowedUsernames: ["username", "email"] } },
    ...options,
  });
  return served;
}

beforeAll(async () => {
  opened = await openFixture(inject("postgresUrl"), "static", data, (options) => new PrismaClient(options));
});
afterEach(async () => {
  await served?.stop();
  await opened.client.user.deleteMany();
});
afterAll(() => opened?.close());

const isLimited = (status: number): boolean => status === 429;

describe("C32 the limit of authentication", () => {
  it("is left to the global limit if rateLimit is false, but failures count", async () => {
    const { api } = await serve({ config: { rateLimit: false }, globalLimit: 30 });
    const outs = [];
    for (let i = 0; i < 15; i++) outs.push(await api.delete("/api/auth/logout"));
    expect(outs.map(({ status }) => status)).toEqual(Array(15).fill(401));
    expect(outs[0]?.headers["ratelimit-limit"]).toBe("30");
    const logins = [];
    for (let i = 0; i < 12; i++)
      logins.push((await api.post("/api/auth/login").send({ username: "nobody", password: "wrong" })).status);
    expect(logins.filter(isLimited)).toHaveLength(2);
  });

  it("of 25 attempts with varied body, path and headers at most 10 pass", async () => {
    const { api } = await serve();
    const statuses: number[] = [];
    for (let i = 0; i < 25; i++) {
      const path = ["/api/auth/login", "/api/auth/login/", "/api/AUTH/login", `/api/auth/login?x=${i}`][
        i % 4
      ] as string;
      const name = i % 2 === 0 ? { username: `user${i}` } : { email: `user${i}@example.com` };
      const response = await api
        .post(path)
        .set("x-forwarded-for", `10.0.0.${i}`)
        .set("forwarded", `for=10.0.0.${i}`)
        .set("x-real-ip", `10.0.0.${i}`)
        .send({ ...name, password: "wrong horse" });
      statuses.push(response.status);
    }
    expect(statuses.filter((status) => !isLimited(status))).toHaveLength(10);
  });

  it("is shared by all routes below /auth, including bad requests, and returns the time of the next attempt", async () => {
    const { api } = await serve();
    for (let i = 0; i < 3; i++) {
      await api.post("/api/auth/login").send({});
      await api.post("/api/auth/signup").send({});
      await api.delete("/api/auth/logout");
    }
    const tenth = await api.post("/api/auth/forgot-password").send({ email: "x@example.com" });
    const next = await api.post("/api/auth/update-password").send({});
    expect([tenth.status, next.status, next.body.detail]).toEqual([204, 429, "Too many requests"]);
    expect(Number(next.headers["retry-after"])).toBeGreaterThan(0);
    expect((await api.get("/api/users/me")).status).toBe(401);
  });

  it("counts in place of the global limit, not in addition", async () => {
    const { api } = await serve({ globalLimit: 3 });
    for (let i = 0; i < 10; i++) expect((await api.post("/api/auth/login").send({})).status).toBe(400);
    for (let i = 0; i < 3; i++) expect((await api.get("/api/public")).status).toBe(200);
    expect((await api.get("/api/public")).status).toBe(429);
  });

  it("counts in the given store, by scope, and never under a readable name", async () => {
    const keys: string[] = [];
    const makeStore = (scope: string) => ({
      async increment(key: string) {
        keys.push(`${scope} ${key}`);
        return { totalHits: 1, resetTime: new Date(Date.now() + 1000) };
      },
      async decrement() {},
      async resetKey() {},
    });
    const { api } = await serve({ makeStore });
    await api.post("/api/auth/login").send({ username: "alice", password: "wrong horse" });
    expect(keys).toHaveLength(5);
    expect(keys[0]).toMatch(/^authentication .*127\.0\.0\.1/);
    expect(keys[1]).toMatch(/^login-network [\w-]{43}$/);
    expect(keys[2]).toMatch(/^login-name [\w-]{43}$/);
    // The account, or the name again if it finds none, so that both cost the same.
    expect(keys.slice(3).map((key) => key.replace(/ .*/, ""))).toEqual(["login-network", "login-name"]);
    expect(new Set(keys).size).toBe(5);
  });
});
