import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanOriginalName, extensionOf, isMadeName, isPlainName, makeFileName } from "./file-name.js";

describe("the extension of a client's file name", () => {
  it.each([
    ["a.png", "png"],
    ["A.PNG", "png"],
    ["a.tar.gz", "gz"],
    ["a.b.c.MP4", "mp4"],
    [".png", ""],
    ["a.", ""],
    ["a", ""],
    ["", ""],
    ["..", ""],
    ["a.p/ng", ""],
    ["a.png ", ""],
    ["a.png\0", ""],
    ["a.pñg", ""],
    ["a.elevenchars", ""],
  ])("of %j is %j", (name, extension) => {
    expect(extensionOf(name)).toBe(extension);
  });
});

describe("the name of a stored file", () => {
  it("C34 is random, and contains nothing of the client's name but a plain extension", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (client) => {
        const name = makeFileName(extensionOf(client));
        expect(isMadeName(name) && isPlainName(name)).toBe(true);
      }),
    );
    expect(new Set(Array.from({ length: 1000 }, () => makeFileName("png"))).size).toBe(1000);
  });

  it("is only accepted as a plain name", () => {
    for (const name of ["logo.png", "_a", "A-1.b.c", "console.txt"])
      expect([name, isPlainName(name)]).toEqual([name, true]);
    const others = [
      "",
      ".",
      "..",
      ".a",
      "a/b",
      "a\\b",
      "a\0",
      "a b",
      "é",
      "a.",
      "con",
      "AUX.txt",
      "lpt1",
      "x".repeat(201),
      "a\n",
    ];
    for (const name of others) expect([name, isPlainName(name)]).toEqual([name, false]);
  });
});

describe("the client's name", () => {
  it.each([
    ["a.png", "a.png"],
    ["/etc/passwd", "passwd"],
    ["C:\\x\\y.png", "y.png"],
    ["a\r\nb\0c.png", "abc.png"],
    ["u\u0308.png", "ü.png"],
    ["\u202Ea.png", "a.png"],
    ["..", "file"],
    ["/", "file"],
    ["  a.png  ", "a.png"],
    ["\uD800a.png", "\uFFFDa.png"],
  ])("%j becomes %j", (name, cleaned) => {
    expect(cleanOriginalName(name)).toBe(cleaned);
  });

  it("is always one short line without a path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (name) => {
        const cleaned = cleanOriginalName(name);
        expect([...cleaned].length).toBeLessThanOrEqual(200);
        expect(cleaned).not.toMatch(/[\p{Cc}/\\]/u);
        expect(cleaned.length).toBeGreaterThan(0);
        expect(cleaned.isWellFormed()).toBe(true);
      }),
    );
  });
});
