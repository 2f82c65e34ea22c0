import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import { hasRedisServer, startRedisServer } from "../../../scripts/test/redis-server.js";
import { someOf } from "../../../scripts/test/slow-share.js";
import { seedPassword } from "../src/seed/accounts.js";
import { createAccountDatabase } from "./accounts/account-shop.js";
import { startInstance } from "./cluster/start-instance.js";
import { freePort } from "./run-built-shop.js";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const act of cleanUp.splice(0).reverse()) await act();
});

/** The number of keys in flight when an instance is killed. */
const inFlight = 40;
/** The claim of an instance that has ended expires after this, in milliseconds (contract C49). */
const leaseMs = 60_000;

interface Reported {
  readonly status: number;
  readonly isReplayed: boolean;
  readonly text: string;
}

describe.each(someOf([["without Redis"], ["with Redis"]]))("C49 three instances %s", (kind) => {
  const usesRedis = kind === "with Redis";
  it.skipIf(usesRedis && !hasRedisServer())(
    "C49 write one row for each key although they are killed meanwhile, and return the same bytes for each",
    async () => {
      const database = await createAccountDatabase();
      cleanUp.push(() => database.drop());
      const redis = usesRedis ? await startRedisServer() : undefined;
      cleanUp.push(() => redis?.kill());
      const { REDIS_URL: _, ...inherited } = process.env;
      const start = async (port: number): Promise<ChildProcess> => {
        const child = await startInstance("instance.mjs", {
          ...inherited,
          HOST: "127.0.0.1",
          PORT: String(port),
          DATABASE_URL: database.url,
          JWT_SECRET: "Fpz0-qVt1wK9sUe3nYb7xRm5cLh2jGd8oAiT4vBk6Xw",
          ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
        });
        cleanUp.push(() => child.kill("SIGKILL"));
        return child;
      };
      const ports = [await freePort(), await freePort(), await freePort()];
      const instances = await Promise.all(ports.map(start));
      const login = await fetch(`http://127.0.0.1:${ports[0]}/api/auth/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ username: "root", password: seedPassword }),
      });
      const { accessToken } = (await login.json()) as { accessToken: string };
      const send = async (port: number, key: string): Promise<Reported> => {
        const response = await fetch(`http://127.0.0.1:${port}/api/tags`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${accessToken}`,
            "content-type": "application/json",
            "idempotency-key": key,
          },
          body: JSON.stringify({ name: `tag ${key}` }),
        });
        const isReplayed = response.headers.get("idempotency-replayed") === "true";
        return { status: response.status, isReplayed, text: await response.text() };
      };

      const counts = { responded: 0, replayed: 0, lost: 0, open: 0 };
      const before = await database.client.tag.count();
      let written = before;
      for (const [index, port] of ports.entries()) {
        const others = ports.filter((other) => other !== port);
        const keys = Array.from({ length: inFlight }, () => randomUUID());
        const firsts = keys.map((key) => send(port, key).catch(() => undefined));
        // Some are written, others are running or in transit.
        await expect
          .poll(() => database.client.tag.count(), { interval: 1 })
          .toBeGreaterThanOrEqual(written + inFlight / 8);
        const instance = instances[index] as ChildProcess;
        const exited = once(instance, "exit");
        instance.kill("SIGKILL");
        await exited;
        const reported = await Promise.all(firsts);

        const seconds = await Promise.all(keys.map((key, at) => send(others[at % 2] as number, key)));
        for (const [at, first] of reported.entries()) {
          const second = seconds[at] as Reported;
          expect([201, 409]).toContain(second.status);
          if (first === undefined) continue;
          // A request that received a response gets the same response from another instance.
          expect(second).toEqual({ status: 201, isReplayed: true, text: first.text });
          counts.responded++;
        }
        counts.replayed += seconds.filter(({ isReplayed }) => isReplayed).length;
        counts.lost += seconds.filter(({ status, isReplayed }) => status === 201 && !isReplayed).length;
        counts.open += seconds.filter(({ status }) => status === 409).length;
        // No request waits longer than the lease.
        const open = await database.client.idempotencyKey.findMany({ where: { response: null } });
        expect(open.length).toBe(seconds.filter(({ status }) => status === 409).length);
        for (const { expiresAt } of open) expect(expiresAt.getTime()).toBeLessThanOrEqual(Date.now() + leaseMs);
        await database.client
          .$executeRaw`UPDATE idempotency_keys SET expires_at = expires_at - INTERVAL '60 seconds' WHERE response IS NULL`;

        instances[index] = await start(port);
        const thirds = await Promise.all(keys.map((key, at) => send(others[(at + 1) % 2] as number, key)));
        const fourths = await Promise.all(keys.map((key) => send(port, key)));
        for (const [at, third] of thirds.entries()) {
          expect(third.status, third.text).toBe(201);
          if (seconds[at]?.status === 201) expect(third).toMatchObject({ isReplayed: true, text: seconds[at]?.text });
          expect(fourths[at]).toEqual({ status: 201, isReplayed: true, text: third.text });
        }
        for (const key of keys) expect(await database.client.tag.count({ where: { name: `tag ${key}` } })).toBe(1);
        written += inFlight;
        expect(await database.client.tag.count()).toBe(written);
      }
      console.log(`${kind}: ${3 * inFlight} keys, ${JSON.stringify(counts)}: ${written - before} rows`);
    },
  );
});
