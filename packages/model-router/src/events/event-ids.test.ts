import { afterEach, expect, it, vi } from "vitest";
import { digest, type IssuedPosition, makeEventIds } from "./event-ids.js";

const issued: IssuedPosition = {
  position: { id: 2n ** 62n, transaction: 7n, time: new Date("2026-01-02T03:04:05.678Z") },
  stream: digest("Order", "filter"),
  rules: digest("rules"),
};

afterEach(() => void vi.useRealTimers());

it("C130 returns what an id contains, and a different id each time", () => {
  const ids = makeEventIds(["a secret"]);
  const [one, other] = [ids.issue(issued), ids.issue(issued)];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^[\w-]+$/);
  expect([ids.read(one), ids.read(other)]).toEqual([issued, issued]);
});

it("C130 reads ids of each secret, and issues them with the first", () => {
  const [old, both] = [makeEventIds(["old"]), makeEventIds(["new", "old"])];
  expect(both.read(old.issue(issued))).toEqual(issued);
  expect(old.read(both.issue(issued))).toBeUndefined();
  expect(makeEventIds(["new"]).read(both.issue(issued))).toEqual(issued);
});

it("C130 rejects each changed byte, other lengths and other texts", () => {
  const ids = makeEventIds(["a secret"]);
  const bytes = Buffer.from(ids.issue(issued), "base64url");
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect([at, ids.read(changed.toString("base64url"))]).toEqual([at, undefined]);
  }
  for (const text of ["", "1", "41", "abc", bytes.toString("base64url").slice(4), `${bytes.toString("base64url")}AAAA`])
    expect([text, ids.read(text), ids.isIssued(text)]).toEqual([text, undefined, false]);
});

it("C130 rejects an id that is older than ten minutes, which remains one of the service", () => {
  vi.useFakeTimers({ now: Date.parse("2026-01-02T03:04:05Z") });
  const ids = makeEventIds(["a secret"]);
  const id = ids.issue(issued);
  vi.setSystemTime(Date.now() + 600_000);
  expect(ids.read(id)).toEqual(issued);
  vi.setSystemTime(Date.now() + 1);
  expect([ids.read(id), ids.isIssued(id)]).toEqual([undefined, true]);
});
