import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { timeRatio } from "../../../scripts/test/measure.js";
import { makeApiKey, readApiKey } from "../src/credentials/api-key.js";
import type { Served } from "./serve-auth.js";
import { bearer, signIn, startWithSessions, type WithSessions } from "./with-sessions.js";

let started: WithSessions;
let served: Served;
beforeAll(async () => {
  started = await startWithSessions(inject("postgresUrl"));
  served = await started.serve({ config: { rateLimit: { limit: 100_000 } } });
  await started.renew();
});
afterAll(() => started?.close());

it("C72 an API key is rejected in the same time, whether its id is known or not, and its secret or its checksum wrong", async () => {
  const { accessToken } = await signIn(served);
  const made = await served.api.post("/api/auth/keys").set(bearer(accessToken)).send({ name: "robot" }).expect(201);
  const { id, key } = made.body.data as { id: string; key: string };
  const [unknown, wrong] = [makeApiKey("test").text, makeApiKey("test", id).text];
  for (const text of [unknown, wrong]) expect(readApiKey(text, "test")).toBeDefined();
  const send = (text: string) => async () => {
    for (let index = 0; index < 20; index++) await served.api.get("/api/signed-in").set("x-api-key", text).expect(401);
  };
  await send(unknown)();
  const ratio = await timeRatio(send(wrong), send(unknown));
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
  // An invalid key costs less and reveals nothing: it is the same for existing and unknown ids.
  const broken = (text: string) => `${text.slice(0, -1)}${text.endsWith("0") ? "1" : "0"}`;
  const brokenRatio = await timeRatio(send(broken(key)), send(broken(unknown)));
  expect(brokenRatio).toBeGreaterThan(0.5);
  expect(brokenRatio).toBeLessThan(2);
});
