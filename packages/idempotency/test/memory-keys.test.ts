import { describe, expect, it } from "vitest";
import { type KeptAnswer, makeMemoryKeys } from "../src/index.js";

const asked = { id: "one", fingerprint: "this" };
const answer: KeptAnswer = { status: 201, headers: {}, body: { text: "{}" } };

describe("C49 keys in memory", () => {
  it("C49 are claimed by one, and answered for all", async () => {
    const keys = makeMemoryKeys();
    const found = await keys.claim(asked);
    if (found.state !== "claimed") throw new Error("It is new.");
    expect(await keys.claim(asked)).toEqual({ state: "running", fingerprint: "this" });
    expect(await keys.complete(found.claim, answer)).toBe(true);
    await keys.release(found.claim);
    expect(await keys.claim({ ...asked, fingerprint: "that" })).toEqual({
      state: "answered",
      fingerprint: "this",
      answer,
    });
  });

  it("C49 are free again when they are given up, or their lease is over; who held them keeps nothing more", async () => {
    const keys = makeMemoryKeys({ leaseMs: 0 });
    const [first, second] = [await keys.claim(asked), await keys.claim(asked)];
    if (first.state !== "claimed" || second.state !== "claimed") throw new Error("The lease is over at once.");
    expect(await keys.complete(first.claim, answer)).toBe(false);
    await keys.release(first.claim);
    expect(await keys.complete(second.claim, answer)).toBe(true);
    const given = makeMemoryKeys();
    const held = await given.claim(asked);
    if (held.state === "claimed") await given.release(held.claim);
    expect((await given.claim(asked)).state).toBe("claimed");
  });
});
