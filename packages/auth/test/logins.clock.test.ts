import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { timeRatio } from "../../../scripts/test/measure.js";
import { PrismaClient } from "./generated/static/client/client.js";
import { models as data } from "./generated/static/models.js";
import { type Opened, openFixture, type Served, serveAuth } from "./serve-auth.js";

let opened: Opened<PrismaClient>;
let served: Served | undefined;
beforeAll(async () => {
  opened = await openFixture(inject("postgresUrl"), "static", data, (options) => new PrismaClient(options));
});
afterEach(async () => {
  await served?.stop();
  await opened.client.user.deleteMany();
});
afterAll(() => opened?.close());

const credentials = { username: "a", password: "correct horse" };

/** With one account, whose password is hashed at the cost. */
async function serve(cost: number): Promise<Served["api"]> {
  served = await serveAuth({ database: opened.database, config: { rateLimit: { limit: 1000 }, password: { cost } } });
  const { status } = await served.api.post("/api/auth/signup").send({ ...credentials, email: "a@example.com" });
  expect(status).toBe(201);
  return served.api;
}

it("a login takes as long for an unknown user as for a wrong password", async () => {
  const api = await serve(9);
  const send = (username: string) => async () => {
    await api.post("/api/auth/login").send({ username, password: "wrong horse" }).expect(401);
  };
  await send("a")();
  const ratio = await timeRatio(send("unknown"), send("a"));
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

it("C27 20 concurrent logins delay another request by less than one of their hashes takes", async () => {
  const api = await serve(11);
  const login = () => api.post("/api/auth/login").send(credentials);
  await login();
  const times = { alone: [] as number[], beside: [] as number[] };
  const measure = async (list: number[], work: () => PromiseLike<unknown>) => {
    const start = performance.now();
    await work();
    list.push(performance.now() - start);
  };
  for (let i = 0; i < 5; i++) await measure(times.alone, login);
  let isDone = false;
  const logins = Promise.all(Array.from({ length: 20 }, login)).finally(() => {
    isDone = true;
  });
  while (!isDone) await measure(times.beside, () => api.get("/api/public"));
  expect((await logins).map(({ status }) => status)).toEqual(Array(20).fill(200));
  const median = (list: number[]) => list.sort((a, b) => a - b)[list.length >> 1] ?? 0;
  // The first requests wait until the logins are sent by this same process.
  expect(median(times.beside.slice(3))).toBeLessThan(median(times.alone));
  expect(times.beside.length).toBeGreaterThan(20);
});
