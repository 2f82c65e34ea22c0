import { describe, expect, it } from "vitest";
import { makeQueues } from "../src/index.js";

const queues = makeQueues({ url: "postgresql://localhost:1/none", log: console as never });
queues.define({ name: "welcome", handler: () => undefined });
const place = (option: string): string => `The option ${option} of the job welcome is invalid: `;

describe("C109 sending a job rejects, without a connection,", () => {
  it.each([
    [{ id: "abc" }, `${place("id")}expected a UUID.`],
    [{ id: 1 }, `${place("id")}expected a UUID.`],
    [{ key: "a\u0000b" }, `${place("key")}expected a text without U+0000 and unpaired surrogates.`],
    [{ key: "\ud800" }, `${place("key")}expected a text without U+0000 and unpaired surrogates.`],
    [{ key: 7 }, `${place("key")}expected a text without U+0000 and unpaired surrogates.`],
    [{ key: "é".repeat(1_001) }, `${place("key")}expected at most 2000 bytes.`],
    [{ startAfter: new Date("garbage") }, `${place("startAfter")}expected a valid Date of the years 1 to 9999.`],
    [{ startAfter: new Date(8.64e15) }, `${place("startAfter")}expected a valid Date of the years 1 to 9999.`],
    [{ startAfter: 5 }, `${place("startAfter")}expected a valid Date of the years 1 to 9999.`],
    [{ startAfter: null }, `${place("startAfter")}expected a valid Date of the years 1 to 9999.`],
    [{ delay: 5 }, `${place("delay")}it does not exist.`],
  ])("%j", async (options, message) => {
    const job = { data: {}, ...options } as never;
    await expect(queues.send("welcome", job)).rejects.toThrow(new TypeError(message));
    await expect(queues.sendAll("welcome", [{ data: {} }, job])).rejects.toThrow(new TypeError(message));
  });
});
