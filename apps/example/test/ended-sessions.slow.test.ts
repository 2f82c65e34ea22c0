import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { hasRedisServer, type RedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { oneOf, someOf } from "../../../scripts/test/slow-share.js";
import { seedPassword } from "../src/seed/accounts.js";
import { type AccountDatabase, createAccountDatabase } from "./accounts/account-shop.js";
import { startInstance } from "./cluster/start-instance.js";
import { freePort } from "./run-built-shop.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

interface Held {
  readonly accessToken: string;
  readonly refreshToken: string;
}

const start = async (port: number, environment: NodeJS.ProcessEnv): Promise<ChildProcess> => {
  const child = await startInstance("instance.mjs", { ...environment, HOST: "127.0.0.1", PORT: String(port) });
  cleanUp.push(() => child.kill("SIGKILL"));
  return child;
};

const send = (port: number, method: string, path: string, token?: string, body?: unknown): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

async function signIn(port: number, username: string): Promise<Held> {
  const response = await send(port, "POST", "/api/auth/login", undefined, { username, password: seedPassword });
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as Held;
}

/** The ways to end a session, each acknowledged by the called instance. */
const ends: Readonly<Record<string, (port: number, stored: Held) => Promise<number>>> = {
  "a logout": async (port, { accessToken }) => (await send(port, "DELETE", "/api/auth/logout", accessToken)).status,
  "the list of one's own": async (port, { accessToken }) => {
    const list = (await (await send(port, "GET", "/api/auth/sessions", accessToken)).json()) as {
      data: { id: string; isCurrent: boolean }[];
    };
    const id = list.data.find(({ isCurrent }) => isCurrent)?.id;
    return (await send(port, "DELETE", `/api/auth/sessions/${id}`, accessToken)).status;
  },
  "a new login that ends all others": async (port) => {
    const { accessToken } = await signIn(port, "ada");
    return (await send(port, "DELETE", "/api/auth/sessions", accessToken)).status;
  },
};

describe.each(someOf([["without Redis"], ["with a Redis that forgets"]]))("C72 three instances %s", (kind) => {
  const usesRedis = kind !== "without Redis";
  it.skipIf(usesRedis && !hasRedisServer())(
    "reject tokens of an ended session on every instance, after kill -9 and after restarts",
    { timeout: 900_000 },
    async () => {
      const database: AccountDatabase = await createAccountDatabase();
      cleanUp.push(() => database.drop());
      let redis: RedisServer | undefined = usesRedis ? await startRedisServer() : undefined;
      cleanUp.push(() => redis?.kill());
      const { REDIS_URL: _, ...inherited } = process.env;
      const environment: NodeJS.ProcessEnv = {
        ...inherited,
        DATABASE_URL: database.url,
        JWT_SECRET: "Fpz0-qVt1wK9sUe3nYb7xRm5cLh2jGd8oAiT4vBk6Xw",
        ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      };
      const ports = [await freePort(), await freePort(), await freePort()];
      const instances = await Promise.all(ports.map((port) => start(port, environment)));
      const ended: Held[] = [];
      const alive = async (): Promise<string[]> => {
        const found: string[] = [];
        for (const { accessToken, refreshToken } of ended) {
          for (const port of ports) {
            const me = await send(port, "GET", "/api/users/me", accessToken);
            const next = await send(port, "POST", "/api/auth/refresh", undefined, { refreshToken });
            if (me.status !== 401 || next.status !== 401) found.push(`${port} ${me.status} ${next.status}`);
          }
        }
        return found;
      };

      let requested = 0;
      for (const [how, end] of Object.entries(ends)) {
        for (const index of oneOf([...ports.keys()])) {
          const [port = 0, other = 0] = [ports[index], ports[(index + 1) % 3]];
          const stored = await signIn(port, "ada");
          expect((await send(other, "GET", "/api/users/me", stored.accessToken)).status).toBe(200);
          expect(await end(port, stored), how).toBe(204);
          // It is killed while it sends the acknowledgement.
          const instance = instances[index] as ChildProcess;
          const exited = once(instance, "exit");
          instance.kill("SIGKILL");
          await exited;
          ended.push(stored);
          instances[index] = await start(port, environment);
          expect(await alive()).toEqual([]);
          requested += ended.length * ports.length;
        }
      }
      if (redis !== undefined) {
        // It restarts empty: it stores nothing of a session.
        const { port } = redis;
        const gone = once(redis.process, "exit");
        redis.kill();
        await gone;
        redis = await startRedisServer(port);
      }
      await expect.poll(alive, { timeout: 60_000 }).toEqual([]);
      const stored = await signIn(ports[0] as number, "ada");
      for (const port of ports) expect((await send(port, "GET", "/api/users/me", stored.accessToken)).status).toBe(200);
      console.log(
        `${kind}: ${ended.length} sessions ended, requested ${requested} times after kill -9: 0 tokens alive`,
      );
    },
  );
});
