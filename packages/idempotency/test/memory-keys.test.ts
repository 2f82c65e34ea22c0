import { describe, expect, it } from "vitest";
import { makeMemoryKeys, type StoredResponse } from "../src/index.js";

const requested = { id: "one", fingerprint: "this" };
const response: StoredResponse = { status: 201, headers: {}, body: { text: "{}" } };

describe("C49 keys in memory", () => {
  it("C49 are claimed by one request, whose response is replayed for all", async () => {
    const keys = makeMemoryKeys();
    const found = await keys.claim(requested);
    if (found.state !== "claimed") throw new Error("It is new.");
    expect(await keys.claim(requested)).toEqual({ state: "running", fingerprint: "this" });
    expect(await keys.complete(found.claim, response)).toBe(true);
    await keys.release(found.claim);
    expect(await keys.claim({ ...requested, fingerprint: "that" })).toEqual({
      state: "completed",
      fingerprint: "this",
      response,
    });
  });

  it("C49 are free again when they are released or their lease expires; the former owner can no longer store a response", async () => {
    const keys = makeMemoryKeys({ leaseMs: 0 });
    const [first, second] = [await keys.claim(requested), await keys.claim(requested)];
    if (first.state !== "claimed" || second.state !== "claimed") throw new Error("The lease has already expired.");
    expect(await keys.complete(first.claim, response)).toBe(false);
    await keys.release(first.claim);
    expect(await keys.complete(second.claim, response)).toBe(true);
    const given = makeMemoryKeys();
    const stored = await given.claim(requested);
    if (stored.state === "claimed") await given.release(stored.claim);
    expect((await given.claim(requested)).state).toBe("claimed");
  });
});
