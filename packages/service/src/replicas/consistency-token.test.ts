import { afterEach, describe, expect, it, vi } from "vitest";
import { makeConsistencyTokens } from "./consistency-token.js";

const url = "postgresql://ann:secret@one,two/shop?target_session_attrs=read-write";
const tokens = makeConsistencyTokens(url, 5_000);
afterEach(() => void vi.useRealTimers());

describe("C122 a consistency token", () => {
  it.each([0n, 1n, 0x16b374d848n, 2n ** 64n - 2n, "latest"] as const)("contains what reads need: %s", (needed) => {
    const token = tokens.write(needed);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(tokens.read(token)).toBe(needed);
  });

  it("is accepted by other instances with the same credentials at any host, and by no others", () => {
    const token = tokens.write(7n);
    expect(makeConsistencyTokens("postgresql://ann:secret@pooler:6432/shop", 1_000).read(token)).toBe(7n);
    expect(makeConsistencyTokens("postgresql://ann:other@one/shop", 5_000).read(token)).toBeUndefined();
  });

  it("is ignored if a character of it is changed, missing or added", () => {
    const token = tokens.write(123_456_789n);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === "A" ? "B" : "A";
      expect(tokens.read(token.slice(0, at) + other + token.slice(at + 1))).toBeUndefined();
      expect(tokens.read(token.slice(0, at) + token.slice(at + 1))).toBeUndefined();
    }
    for (const text of ["", "x", `${token}A`, "A".repeat(32), "ä".repeat(32), "_".repeat(100_000)])
      expect(tokens.read(text)).toBeUndefined();
  });

  it("expires when every replica in the rotation has the write", () => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    const token = tokens.write(7n);
    expect(tokens.lifetimeMs).toBe(35_000);
    vi.setSystemTime(1_800_000_035_000);
    expect(tokens.read(token)).toBe(7n);
    vi.setSystemTime(1_800_000_036_001);
    expect(tokens.read(token)).toBeUndefined();
  });

  it("of a clock that is far ahead is ignored", () => {
    vi.useFakeTimers({ now: 1_800_000_100_000 });
    const token = tokens.write(7n);
    vi.setSystemTime(1_800_000_000_000);
    expect(tokens.read(token)).toBeUndefined();
  });
});
