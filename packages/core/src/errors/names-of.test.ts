import { describe, expect, it } from "vitest";
import { namesOf } from "./names-of.js";

describe("C32 namesOf", () => {
  it("returns the exports of a CommonJS package, also when a bundler provides only the default export", () => {
    const complete = { createClient: () => "a client" };
    expect(namesOf({ default: complete } as unknown as typeof complete).createClient()).toBe("a client");
    expect(namesOf({ default: complete, ...complete }).createClient()).toBe("a client");
    const made = Object.assign(() => "a form", { Form: () => "another" });
    expect(namesOf({ default: made } as unknown as typeof made).Form()).toBe("another");
  });

  it("returns a module with exports of its own unchanged", () => {
    const make = (): string => "made";
    expect(namesOf({ default: make }).default()).toBe("made");
    expect(namesOf({ default: null })).toEqual({ default: null });
    expect(namesOf({ version: 1 })).toEqual({ version: 1 });
  });
});
