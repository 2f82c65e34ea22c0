import { describe, expect, it } from "vitest";
import { WalHistory } from "./wal-history.js";
import { readWalPosition } from "./wal-position.js";

describe("C121 the lag of a replica", () => {
  it("is the time since the first position of the primary that the replica has not replayed", () => {
    const history = new WalHistory();
    history.add(100n, 0);
    history.add(200n, 1_000);
    history.add(300n, 2_000);
    expect([100n, 199n, 200n, 299n, 300n, 400n].map((position) => history.lagOf(position, 2_500))).toEqual([
      1_500, 1_500, 500, 500, 0, 0,
    ]);
  });

  it("is 0 while the primary is idle", () => {
    const history = new WalHistory();
    history.add(100n, 0);
    history.add(100n, 60_000);
    expect(history.lagOf(100n, 60_000)).toBe(0);
    history.add(101n, 60_500);
    expect(history.lagOf(100n, 60_600)).toBe(100);
  });

  it("is the age of the last replayed transaction if the replica was behind from the beginning", () => {
    const history = new WalHistory();
    expect(history.lagOf(1n, 5, 9_000)).toBe(0);
    history.add(100n, 0);
    expect(history.lagOf(99n, 5, 9_000)).toBe(9_000);
    expect(history.lagOf(100n, 5, 9_000)).toBe(0);
  });

  it("ignores a smaller position, as that of a former primary", () => {
    const history = new WalHistory();
    history.add(200n, 0);
    history.add(100n, 1_000);
    expect(history.lagOf(200n, 2_000)).toBe(0);
  });

  it("stays bounded, and only underestimates what is older than all positions", () => {
    const history = new WalHistory();
    for (let at = 1; at <= 5_000; at++) history.add(BigInt(at), at);
    expect(history.lagOf(1n, 5_000)).toBe(999);
    expect(history.lagOf(4_999n, 5_010)).toBe(10);
  });
});

it("C121 positions are read as PostgreSQL writes them", () => {
  expect(["0/0", "0/16B3748", "16/B374D848", "FFFFFFFF/FFFFFFFF"].map(readWalPosition)).toEqual([
    0n,
    0x16b3748n,
    0x16b374d848n,
    2n ** 64n - 1n,
  ]);
  expect(["", "16", "16/", "G/0", "123456789/0", " 0/0", 5, null, undefined].map(readWalPosition)).toEqual(
    Array.from({ length: 9 }, () => undefined),
  );
});
