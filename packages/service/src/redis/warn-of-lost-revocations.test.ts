import { PassThrough } from "node:stream";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { warnOfLostRevocations } from "./warn-of-lost-revocations.js";

/** The warnings for a Redis with these settings. */
async function warningsOf(settings: Readonly<Record<string, string>>, respond = (pair: string[]): unknown => pair) {
  const lines: string[] = [];
  const log = pino(new PassThrough().on("data", (line) => lines.push(JSON.parse(String(line)).msg)));
  const send = async (...[, , name = ""]: string[]) => respond([name, settings[name] ?? ""]);
  await warnOfLostRevocations(
    { send, isUp: () => true, reportUnavailable: () => undefined, close: async () => {} },
    log,
  );
  return lines;
}

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
