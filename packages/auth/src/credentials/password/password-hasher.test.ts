import { afterAll, describe, expect, it } from "vitest";
import type { Bcrypt } from "./bcrypt.js";
import { loadNativeBcrypt } from "./native-bcrypt.js";
import { makePasswordHasher } from "./password-hasher.js";
import { makeWorkerBcrypt } from "./worker-bcrypt.js";

const workers = makeWorkerBcrypt();
const native = (await loadNativeBcrypt(() => import("node-rs-bcrypt"))) as Bcrypt;
afterAll(() => workers.close());

describe.each([
  ["@node-rs/bcrypt", () => native],
  ["bcryptjs in worker threads", () => workers],
])("%s", (_, libraryOf) => {
  const make = (cost = 4) => makePasswordHasher({ cost, bcrypt: libraryOf() });

  it("C27 a hash matches its password, and no other", async () => {
    const hasher = make();
    const hash = await hasher.hash("correct horse");
    expect(hash).toMatch(/^\$2[aby]\$04\$/);
    expect(hash).not.toBe(await hasher.hash("correct horse"));
    expect(await hasher.verify("correct horse", hash)).toBe(true);
    expect(await hasher.verify("correct horse ", hash)).toBe(false);
  });

  it("a hash of the other library is accepted", async () => {
    const hash = await workers.hash("correct horse", 4);
    const other = await native.hash("correct horse", 4);
    expect([await make().verify("correct horse", hash), await make().verify("correct horse", other)]).toEqual([
      true,
      true,
    ]);
  });

  it.each([undefined, null, "", "junk", "junk".repeat(15), "$2b$99$".padEnd(60, "."), "correct horse"])(
    "an invalid hash (%j) matches no password and throws nothing",
    async (hash) => {
      expect(await make().verify("correct horse", hash)).toBe(false);
    },
  );
});

describe("many concurrent passwords", () => {
  it("are rejected with 503 and Retry-After as soon as too many wait", async () => {
    const hasher = makePasswordHasher({ cost: 8, bcrypt: native, running: 1, waiting: 3 });
    const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => hasher.hash("correct horse")));
    const rejected = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(rejected).toHaveLength(6);
    expect(rejected[0]).toMatchObject({ status: 503, code: "TooManyPasswords", headers: { "Retry-After": "5" } });
    expect(await hasher.hash("correct horse")).toMatch(/^\$2/);
  });

  it("twenty sign-ins of a single address are all checked", async () => {
    const hasher = makePasswordHasher({ cost: 4, bcrypt: native, running: 1 });
    const client = { address: "10.0.0.1", signal: new AbortController().signal };
    const responses = await Promise.all(Array.from({ length: 20 }, () => hasher.verify("x", undefined, client)));
    expect(responses).toEqual(Array.from({ length: 20 }, () => false));
  });

  it("C59 two of one client wait when others wait too", async () => {
    const hasher = makePasswordHasher({ cost: 8, bcrypt: native, running: 1 });
    const of = (address: string) => hasher.verify("x", undefined, { address, signal: new AbortController().signal });
    const flood = Promise.allSettled(
      Array.from({ length: 7 }, (_, at) => Array.from({ length: 10 }, () => of(`10.0.${at}.1`))).flat(),
    );
    const other = of("10.1.1.1");
    expect(await other).toBe(false);
    const outcomes = await flood;
    // One runs, and two wait.
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1 + 7 * 2);
  });

  it("a disconnected client no longer waits", async () => {
    const hasher = makePasswordHasher({ cost: 8, bcrypt: native, running: 1 });
    const gone = new AbortController();
    const running = hasher.hash("x");
    const waiting = hasher.hash("x", { address: "10.0.0.1", signal: gone.signal });
    await new Promise((resolve) => setImmediate(resolve));
    gone.abort(new Error("gone"));
    await expect(waiting).rejects.toThrow("gone");
    await running;
  });

  it("a check without a hash costs as much as the most expensive hash so far", async () => {
    const costs: string[] = [];
    const noting: Bcrypt = {
      hash: async () => "",
      verify: async (_password, hash) => costs.push(hash.slice(4, 6)) > 0,
      close: async () => {},
    };
    const hasher = makePasswordHasher({ cost: 10, bcrypt: noting });
    const stored = (cost: string): string => `$2b$${cost}$${"a".repeat(53)}`;
    for (const hash of [undefined, stored("14"), undefined, stored("08"), undefined, stored("31"), undefined]) {
      await hasher.verify("x", hash);
    }
    expect(costs).toEqual(["10", "14", "14", "08", "14", "31", "18"]);
  });

  it("a failing task frees its slot", async () => {
    const failing: Bcrypt = {
      hash: async () => Promise.reject(new Error("no")),
      verify: async () => true,
      close: async () => {},
    };
    const hasher = makePasswordHasher({ bcrypt: failing, running: 1, waiting: 1 });
    for (let i = 0; i < 3; i++) await expect(hasher.hash("x")).rejects.toThrow("no");
    expect(await hasher.verify("x", `$2b$12$${".".repeat(53)}`)).toBe(true);
  });
});

describe("worker threads", () => {
  it("a thread that exits fails its task, and is replaced", async () => {
    const one = makeWorkerBcrypt();
    const hashing = one.hash("correct horse", 12);
    const failed = expect(hashing).rejects.toThrow("could not be hashed");
    await one.close();
    await failed;
    expect(await one.hash("correct horse", 4)).toMatch(/^\$2/);
    await one.close();
  });
});

it("hashes with bcryptjs where the native library is not installed", async () => {
  expect(await loadNativeBcrypt()).toBeUndefined();
  const hasher = makePasswordHasher({ cost: 4 });
  const hash = await hasher.hash("correct horse");
  expect(await hasher.verify("correct horse", hash)).toBe(true);
  await hasher.close();
});
