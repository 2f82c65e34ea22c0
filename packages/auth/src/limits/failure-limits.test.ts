import { EventEmitter } from "node:events";
import type { RateLimitStore } from "@servicekit/router";
import type { Request, Response } from "express";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeFailureLimits, type Subject, waitAfter } from "./failure-limits.js";

const ada: Subject = { kind: "name", id: "ada" };

const settings = { limit: 10, message: "Too many requests" };

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The limits, with waits that are only recorded. */
function open(makeStore?: (scope: string) => RateLimitStore) {
  const waits: number[] = [];
  const reported: unknown[] = [];
  const limits = makeFailureLimits(settings, {
    makeStore,
    onStoreError: (error) => reported.push(error),
    wait: async (milliseconds) => void waits.push(milliseconds),
  });
  const attempt = async (ip: string, status: number, subject: Subject = ada): Promise<number> => {
    const response = Object.assign(new EventEmitter(), { statusCode: 200 });
    try {
      await limits.admit({ ip } as Request, response as unknown as Response, subject);
    } catch (error) {
      return (error as { status: number }).status;
    }
    response.statusCode = status;
    response.emit("finish");
    // Uncounted after the response.
    await new Promise((resolve) => setImmediate(resolve));
    return status;
  };
  const many = async (count: number, ...args: Parameters<typeof attempt>): Promise<number[]> => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at++) statuses.push(await attempt(...args));
    return statuses;
  };
  return { attempt, many, waits, reported };
}

describe("C60 limits of failures", () => {
  it("reject the eleventh from one network until the window ends, and none from others", async () => {
    const { attempt, many } = open();
    expect(await many(12, "10.0.0.1", 401)).toEqual([...Array(10).fill(401), 429, 429]);
    expect(await attempt("10.0.0.2", 200)).toBe(200);
    expect(await attempt("10.0.0.1", 401, { kind: "name", id: "ben" })).toBe(401);
    vi.setSystemTime(15 * 60_000 + 1);
    expect(await attempt("10.0.0.1", 200)).toBe(200);
  });

  it("count an IPv6 /64 as one network, and the next one separately", async () => {
    const { attempt, many } = open();
    for (let at = 0; at < 10; at++) expect(await attempt(`2001:db8:0:1::${at + 1}`, 401)).toBe(401);
    expect(await many(2, "2001:db8:0:1:ffff::1", 401)).toEqual([429, 429]);
    expect(await attempt("2001:db8:0:2::1", 200)).toBe(200);
  });

  it.each([200, 400, 403, 503])("do not count responses with %i", async (status) => {
    const { many } = open();
    expect(await many(30, "10.0.0.1", status)).toEqual(Array(30).fill(status));
  });

  it("count running attempts: twenty concurrent ones are not more than ten", async () => {
    const { attempt } = open();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => attempt("10.0.0.1", 401)));
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  it("delay a name after a hundred failures from anywhere, increasingly, and never reject it", async () => {
    const { attempt, waits } = open();
    for (let at = 0; at < 250; at++) expect(await attempt(`10.0.${at}.1`, 401)).toBe(401);
    expect([waits.length, waits[0], waits[9], waits.at(-1)]).toEqual([150, 50, 500, 5000]);
    expect(waits).toEqual([...waits].sort((one, other) => one - other));
    expect(await attempt("10.9.9.9", 200)).toBe(200);
    vi.setSystemTime(15 * 60_000 + 1);
    expect([await attempt("10.9.9.9", 200), waits.length]).toEqual([200, 151]);
  });

  it("let one attempt of a network wait at a time", async () => {
    const stored: (() => void)[] = [];
    const limits = makeFailureLimits(
      { ...settings, limit: 1 },
      {
        makeStore: undefined,
        onStoreError: () => undefined,
        wait: () => new Promise((resolve) => stored.push(resolve)),
      },
    );
    const admit = (ip: string) => limits.admit({ ip } as Request, new EventEmitter() as unknown as Response, ada);
    for (let at = 0; at < 10; at++) await admit(`10.0.${at}.1`);
    const first = admit("10.1.1.1");
    await vi.waitFor(() => expect(stored).toHaveLength(1));
    await expect(admit("10.1.1.1")).rejects.toMatchObject({ status: 429 });
    const elsewhere = admit("10.1.1.2");
    await vi.waitFor(() => expect(stored).toHaveLength(2));
    for (const go of stored) go();
    await Promise.all([first, elsewhere]);
  });

  it("count a known device separately, by its own failures", async () => {
    const { attempt, many, waits } = open();
    for (let at = 0; at < 150; at++) await attempt(`10.0.${at}.1`, 401);
    await many(12, "10.0.0.1", 401);
    const before = waits.length;
    const known: Subject = { kind: "device", id: "d" };
    expect(await attempt("10.0.0.1", 200, known)).toBe(200);
    expect(await many(11, "10.0.0.1", 401, known)).toEqual([...Array(10).fill(401), 429]);
    expect(waits.length).toBe(before);
  });

  it("C147 count an account separately from its names, and delay an attempt with both only once", async () => {
    const waits: number[] = [];
    const limits = makeFailureLimits(settings, {
      ...{ makeStore: undefined, onStoreError: () => undefined },
      wait: async (milliseconds) => void waits.push(milliseconds),
    });
    const attempt = async (ip: string, name: string): Promise<void> => {
      const request = { ip } as Request;
      const response = new EventEmitter() as unknown as Response;
      await limits.admit(request, response, { kind: "name", id: name });
      await limits.admit(request, response, { kind: "account", id: "1" });
    };
    for (let at = 0; at < 10; at++) await attempt("10.9.9.9", `name ${at}`);
    await expect(attempt("10.9.9.9", "name 10")).rejects.toMatchObject({ status: 429 });
    for (let at = 0; at < 130; at++) await attempt(`10.0.${at}.1`, "ada");
    // Of the account 10 more than of the name: its delay begins earlier, and exceeds the name's by 500 ms.
    expect([waits.length, ...waits.slice(-2)]).toEqual([70, 1500, 500]);
  });

  it("return the time of the next attempt", async () => {
    const limits = makeFailureLimits(
      { ...settings, limit: 1 },
      { makeStore: undefined, onStoreError: () => undefined },
    );
    const admit = () => limits.admit({ ip: "10.0.0.1" } as Request, new EventEmitter() as unknown as Response, ada);
    await admit();
    await expect(admit()).rejects.toMatchObject({ status: 429, headers: { "Retry-After": "900" } });
  });

  it("count in memory while their store is unavailable, and log it once for each", async () => {
    const away = () => Promise.reject(new Error("away"));
    const { many, reported } = open(() => ({ increment: away, decrement: away, resetKey: away }));
    expect(await many(12, "10.0.0.1", 401)).toEqual([...Array(10).fill(401), 429, 429]);
    expect(reported).toHaveLength(2);
  });
});

it("C60 the delay grows by 50 ms from the hundred-and-first failure, to 5 s", () => {
  expect([0, 100, 101, 102, 200, 5000].map((failures) => waitAfter(failures, 10))).toEqual([0, 0, 50, 100, 5000, 5000]);
});
