import { tmpdir } from "node:os";
import { type UploadsConfig } from "@servicekit/router";
import { describe, expect, it } from "vitest";
import { start } from "./echo-uploads.js";

describe("C53 startup with uploads of a declared route", () => {
  it("fails for an invalid declaration, and reports all of its issues", async () => {
    const invalid = (uploads: unknown): Promise<unknown> =>
      start({ uploads: uploads as UploadsConfig }).then(
        () => "started",
        (error: Error) => error.message.split("experimental.uploads").slice(1).join("|"),
      );
    expect(await invalid({ type: "single", field: "a[" })).toMatch(/The name is invalid.*a\[/);
    expect(await invalid({ type: "single", field: "a[__proto__]" })).toMatch(/__proto__/);
    expect(await invalid({ type: "fields", fields: [{ name: "a" }, { name: "a[b]" }] })).toMatch(/inside the other/);
    expect(await invalid({ type: "fields", fields: [{ name: "a" }, { name: "a[]" }] })).toMatch(
      /The field a is listed twice/,
    );
    expect(await invalid({ type: "single", field: "a", uploadDir: "../x" })).toMatch(/leads out of baseUploadDir/);
    expect(await invalid({ type: "single", field: "a", uploadDir: "." })).toMatch(/not baseUploadDir itself/);
  });

  it.each([
    [
      "a new folder at the root",
      { uploadDir: "/contracts-of-nobody/2026" },
      'uploadDir is an absolute path, but /contracts-of-nobody does not exist. Write "contracts-of-nobody/2026" for a folder in baseUploadDir.',
    ],
    [
      "the url of a folder outside",
      { uploadDir: tmpdir(), attachToBody: "url" },
      'attachToBody "url" requires a public folder',
    ],
    [
      "the url of a deeper folder",
      { uploadDir: "private/papers", attachToBody: "url" },
      'attachToBody "url" requires a public folder, and private/papers is not',
    ],
    ["the url of a served folder", { uploadDir: "papers", attachToBody: "url" }, "started"],
  ])("reports %s", async (_, more, expected) => {
    const reported = await start({ uploads: { type: "single", field: "a", ...more } as UploadsConfig }).then(
      () => "started",
      (error: Error) => error.message,
    );
    expect(reported).toContain(expected);
  });

  it("fails for invalid image options, and reports all of their issues", async () => {
    const invalid = (uploads: unknown): Promise<unknown> =>
      start({ uploads: uploads as UploadsConfig }).then(
        () => "started",
        (error: Error) => error.message.split("experimental.uploads").slice(1).join("|"),
      );
    expect(await invalid({ type: "single", field: "a", image: { widht: 3 } })).toMatch(
      /\.image\.widht: Unknown key\. Did you mean width/,
    );
    expect(await invalid({ type: "single", field: "a", image: { width: 0 } })).toMatch(
      /\.image\.width: found 0 .*from 1 to 16384/,
    );
  });
});
