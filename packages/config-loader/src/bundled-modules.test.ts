import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findBundled } from "./bundled-modules.js";

const place = Symbol.for("@servicekit/bundle");
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-bundled-")));
const write = (name: string): string => {
  const file = path.join(folder, name);
  fs.writeFileSync(file, "export default 1;");
  return file;
};
const runBundle = (modules: readonly (readonly [file: string, module: object])[]): void => {
  Object.assign(globalThis, { [place]: new Map(modules) });
};

afterEach(() => {
  delete (globalThis as { [place]?: unknown })[place];
});

describe("C73 findBundled", () => {
  it("finds nothing outside a bundle", () => {
    expect(findBundled(write("post.model.js"))).toBeUndefined();
  });

  it("returns the module of a bundle by its file or a link to it", async () => {
    const file = write("post.model.js");
    const link = path.join(folder, "link.js");
    fs.symlinkSync(file, link);
    runBundle([[file, { load: async () => "the bundled one" }]]);
    expect(await findBundled(file)?.()).toBe("the bundled one");
    expect(await findBundled(link)?.()).toBe("the bundled one");
  });

  it("rejects a file that is not in the bundle or has changed since", () => {
    const file = write("service.config.ts");
    runBundle([[file, { text: "export default 2;", load: async () => "an old one" }]]);
    const reported = (name: string, what: string) => `${name}: It ${what}. Run npx service build --bundle again.`;
    expect(() => findBundled(file)).toThrow(reported("service.config.ts", "has changed since the bundle was made"));
    const other = write("tag.model.js");
    expect(() => findBundled(other)).toThrow(reported("tag.model.js", "is not in the bundle that runs"));
  });
});
