import { tmpdir } from "node:os";
import { type UploadsConfig } from "@servicekit/router";
import { describe, expect, it } from "vitest";
import { start } from "./echo-uploads.js";

describe("C53 F30 the start, for uploads of a declared route", () => {
  it("stops the start for a declaration that cannot be right, and names all of it", async () => {
    const faulty = (uploads: unknown): Promise<unknown> =>
      start({ uploads: uploads as UploadsConfig }).then(
        () => "started",
        (error: Error) => error.message.split("experimental.uploads").slice(1).join("|"),
      );
    expect(await faulty({ type: "single", field: "a[" })).toMatch(/The name cannot be used.*a\[/);
    expect(await faulty({ type: "single", field: "a[__proto__]" })).toMatch(/__proto__/);
    expect(await faulty({ type: "fields", fields: [{ name: "a" }, { name: "a[b]" }] })).toMatch(/inside the other/);
    expect(await faulty({ type: "fields", fields: [{ name: "a" }, { name: "a[]" }] })).toMatch(
      /The field a is named twice/,
    );
    expect(await faulty({ type: "single", field: "a", uploadDir: "../x" })).toMatch(/leads out of baseUploadDir/);
    expect(await faulty({ type: "single", field: "a", uploadDir: "." })).toMatch(/not baseUploadDir itself/);
  });

  it.each([
    [
      "a new folder at the root",
      { uploadDir: "/contracts-of-nobody/2026" },
      'uploadDir is an absolute path, and there is no /contracts-of-nobody: write "contracts-of-nobody/2026" for a folder in baseUploadDir.',
    ],
    [
      "the url of a folder outside",
      { uploadDir: tmpdir(), attachToBody: "url" },
      'attachToBody "url" needs a folder that is served',
    ],
    [
      "the url of a deeper folder",
      { uploadDir: "private/papers", attachToBody: "url" },
      'attachToBody "url" needs a folder that is served, and private/papers is not',
    ],
    ["the url of a served folder", { uploadDir: "papers", attachToBody: "url" }, "started"],
  ])("F30 tells %s at start", async (_, more, expected) => {
    const told = await start({ uploads: { type: "single", field: "a", ...more } as UploadsConfig }).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(told).toContain(expected);
  });

  it("stops the start for an image that cannot be right, and names all of it", async () => {
    const faulty = (uploads: unknown): Promise<unknown> =>
      start({ uploads: uploads as UploadsConfig }).then(
        () => "started",
        (error: Error) => error.message.split("experimental.uploads").slice(1).join("|"),
      );
    expect(await faulty({ type: "single", field: "a", image: { widht: 3 } })).toMatch(
      /\.image\.widht: There is no such key\. Did you mean width/,
    );
    expect(await faulty({ type: "single", field: "a", image: { width: 0 } })).toMatch(
      /\.image\.width: found 0 .*from 1 to 16384/,
    );
  });
});
