import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { canReach } from "./account.js";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-account-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const { uid, gid } = fs.statSync(folder);
const anonymous = { uid: uid + 7, gid: gid + 7 };

describe("canReach", () => {
  it.each([
    [0o700, { uid, gid }, true],
    [0o600, { uid, gid }, false],
    [0o077, { uid, gid }, false],
    [0o710, { ...anonymous, gid }, true],
    [0o701, { ...anonymous, gid }, false],
    [0o701, anonymous, true],
    [0o770, anonymous, false],
    [0o000, {}, true],
  ])("reads the mode %o for %j as %j", (mode, account, expected) => {
    fs.chmodSync(folder, mode);
    expect(canReach(folder, account)).toBe(expected);
  });

  it("checks each folder above", () => {
    const inner = path.join(folder, "a", "b");
    fs.chmodSync(folder, 0o755);
    fs.mkdirSync(inner, { recursive: true });
    expect(canReach(inner, anonymous)).toBe(true);
    fs.chmodSync(folder, 0o700);
    expect(canReach(inner, anonymous)).toBe(false);
  });
});
