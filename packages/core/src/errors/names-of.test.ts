import { describe, expect, it } from "vitest";
import { namesOf } from "./names-of.js";

describe("F32 namesOf", () => {
  it("gives the names of a package in CommonJS, also where a bundler gives it no name but default", () => {
    const whole = { createClient: () => "a client" };
    expect(namesOf({ default: whole } as unknown as typeof whole).createClient()).toBe("a client");
    expect(namesOf({ default: whole, ...whole }).createClient()).toBe("a client");
    const made = Object.assign(() => "a form", { Form: () => "another" });
    expect(namesOf({ default: made } as unknown as typeof made).Form()).toBe("another");
  });

  it("leaves a module with one export of its own as it is", () => {
    const make = (): string => "made";
    expect(namesOf({ default: make }).default()).toBe("made");
    expect(namesOf({ default: null })).toEqual({ default: null });
    expect(namesOf({ version: 1 })).toEqual({ version: 1 });
  });
});
