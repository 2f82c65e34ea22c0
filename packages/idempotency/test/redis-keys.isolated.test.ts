import net from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hasRedisServer, type RedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { type Claim, type KeyStore, makeRedisKeys, type StoredResponse } from "../src/index.js";

const request = { id: "one", fingerprint: "this" };
const response: StoredResponse = { status: 201, headers: {}, body: { text: "{}" } };

/** Sends one command over a connection of its own, and reads a reply of at most one line and one text. */
const sendTo =
  ({ port }: RedisServer) =>
  (...command: string[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const socket = net.connect(port, "127.0.0.1");
      const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
      socket.write(`*${command.length}\r\n${parts.join("")}`);
      socket.on("error", reject);
      let reply = "";
      socket.on("data", (chunk) => {
        reply += chunk;
        if (!reply.endsWith("\r\n") || (/^\$\d/.test(reply) && reply.split("\r\n").length < 3)) return;
        socket.destroy();
        const [first = "", text] = reply.split("\r\n");
        if (first.startsWith("-")) reject(new Error(first));
        else if (first === "$-1") resolve(null);
        else resolve(first.startsWith("$") ? text : first.slice(1));
      });
    });

describe.skipIf(!hasRedisServer())("C49 keys in Redis", () => {
  let redis: RedisServer;
  let send: ReturnType<typeof sendTo>;
  beforeAll(async () => {
    redis = await startRedisServer();
    send = sendTo(redis);
  });
  afterAll(() => redis?.kill());
  beforeEach(() => send("FLUSHALL"));

  async function claim(keys: KeyStore): Promise<Claim> {
    const found = await keys.claim(request);
    if (found.state !== "claimed") throw new Error(`The key is ${found.state}.`);
    return found.claim;
  }
  const timeToLive = async (): Promise<number> => Number(await send("PTTL", "servicekit:idempotency:one"));

  it("C49 are claimed by one of many simultaneous requests, and return the stored response", async () => {
    const keys = makeRedisKeys(send);
    const all = await Promise.all(Array.from({ length: 5 }, () => keys.claim(request)));
    const claims = all.flatMap((found) => (found.state === "claimed" ? [found.claim] : []));
    expect(claims).toHaveLength(1);
    expect(await keys.claim({ ...request, fingerprint: "that" })).toEqual({ state: "running", fingerprint: "this" });
    expect(await timeToLive()).toBeLessThanOrEqual(60_000);
    expect(await keys.complete(claims[0] as Claim, response)).toBe(true);
    expect(await keys.claim(request)).toEqual({ state: "completed", fingerprint: "this", response });
    expect(Math.round((await timeToLive()) / 3_600_000)).toBe(24);
  });

  it("C49 belong to their holder: another one can neither store nor release", async () => {
    const keys = makeRedisKeys(send);
    const other = { ...(await claim(keys)), holder: "another" };
    expect(await keys.complete(other, response)).toBe(false);
    await keys.release(other);
    expect((await keys.claim(request)).state).toBe("running");
  });

  it("C49 are free after a release, unless a response is stored", async () => {
    const keys = makeRedisKeys(send);
    await keys.release(await claim(keys));
    const stored = await claim(keys);
    await keys.complete(stored, response);
    await keys.release(stored);
    expect((await keys.claim(request)).state).toBe("completed");
  });

  it("C49 that ended between two commands are claimed again", async () => {
    let isExpired = false;
    const keys = makeRedisKeys(async (...command) => {
      const isFirst = command[0] === "GET" && !isExpired;
      if (isFirst) {
        isExpired = true;
        await send("FLUSHALL");
      }
      return send(...command);
    });
    await claim(keys);
    expect((await keys.claim(request)).state).toBe("claimed");
  });
});

it("C49 keys in Redis are 503 with Retry-After while Redis is unavailable", async () => {
  const cause = new Error("connection refused");
  const keys = makeRedisKeys(() => Promise.reject(cause));
  const error = await keys.claim(request).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ status: 503, code: "IdempotencyUnavailable", headers: { "Retry-After": "2" }, cause });
});
