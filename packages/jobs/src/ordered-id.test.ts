import { describe, expect, it } from "vitest";
import { orderedId } from "./ordered-id.js";

describe("ids of jobs for changes", () => {
  it("C110 are UUIDs of version 8 that follow from the change and the consumer", () => {
    const id = orderedId(0x123456789n, "mails 0");
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(orderedId(0x123456789n, "mails 0")).toBe(id);
    expect(orderedId(0x123456789n, "mails 1")).not.toBe(id);
    expect(orderedId(0x123456788n, "mails 0")).not.toBe(id);
  });

  it("C110 are in the order of the changes", () => {
    const numbers = [0n, 1n, 15n, 16n, 4095n, 4096n, 2n ** 32n, 2n ** 53n, 2n ** 60n - 1n];
    const ids = numbers.map((number) => orderedId(number, String(number)));
    expect(ids.toSorted()).toEqual(ids);
  });
});
