import { PassThrough } from "node:stream";
import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import type { Redis } from "./open-redis.js";
import { warnOfLostRevocations } from "./warn-of-lost-revocations.js";

/** The warnings for a Redis with these settings. */
function warningsOf(settings: Readonly<Record<string, string>>, respond = (pair: string[]): unknown => pair) {
  return warningsWith(async (...[, , name = ""]: string[]) => respond([name, settings[name] ?? ""]));
}

/** The warnings for a Redis that responds so. */
async function warningsWith(send: Redis["send"]): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = pino(new PassThrough().on("data", (line) => lines.push(JSON.parse(String(line)).msg)));
  await warnOfLostRevocations(
    { send, isUp: () => true, reportUnavailable: () => undefined, close: async () => {} },
    log,
  );
  return lines;
}

describe("C72 a Redis that stores revoked tokens", () => {
  it("is queried once, and trusted, if it hides its configuration", async () => {
    for (const message of ["ERR unknown command 'CONFIG'", "NOPERM this user has no permissions"]) {
      const send = vi.fn(() => Promise.reject(new Error(message)));
      expect(await warningsWith(send)).toEqual([]);
      expect(send).toHaveBeenCalledTimes(3);
    }
    expect(await warningsWith(async () => ({}))).toEqual([]);
  });

  it("is queried again while it is unavailable", async () => {
    let isUp = false;
    const send = async (...[, , name = ""]: string[]) => {
      if (isUp) return [name, name === "appendonly" ? "no" : ""];
      isUp = name === "maxmemory-policy";
      throw new Error("The connection is closed.");
    };
    expect(await warningsWith(send)).toContainEqual(expect.stringContaining("without persistence"));
  });
});

describe.each([
  ["a list", (pair: string[]) => pair],
  ["an object", ([name = "", value]: string[]) => ({ [name]: value })],
])("C72 a Redis that stores revoked tokens and responds with %s", (_form, respond) => {
  it("is logged if it is not persistent, or evicts keys", async () => {
    expect(await warningsOf({ save: "", appendonly: "no", "maxmemory-policy": "noeviction" }, respond)).toEqual([
      expect.stringContaining("without persistence"),
    ]);
    expect(await warningsOf({ save: "60 1", appendonly: "no", "maxmemory-policy": "allkeys-lru" }, respond)).toEqual([
      expect.stringContaining("noeviction"),
    ]);
  });

  it("is not logged if it is persistent", async () => {
    const persistent = { "maxmemory-policy": "noeviction" };
    expect(await warningsOf({ ...persistent, save: "", appendonly: "yes" }, respond)).toEqual([]);
    expect(await warningsOf({ ...persistent, save: "60 1", appendonly: "no" }, respond)).toEqual([]);
  });
});
