import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { bundleProgram } from "../src/build/bundle-program.js";
import { CommandError } from "../src/command-error.js";
import { makeFolder } from "./temporary-folder.js";

const manifest = (name: string, more: object = {}): string =>
  JSON.stringify({ name, version: "1.0.0", main: "index.js", ...more });

describe("C73 service build --bundle", () => {
  it("C73 joins the program and its packages; the result runs as before, and packages that must stay are imported", async () => {
    const root = makeFolder({
      "package.json": '{ "type": "module" }',
      "dist/main.js": `import fs, { existsSync } from "node:fs";
import plain from "plain";
import native from "native";
import table from "big-table";
import { part } from "./part.js";
import { where } from "./where.js";
console.log(JSON.stringify({ plain, native, rows: table.length, part, where, same: fs.existsSync === existsSync,
  letters: "äß\\u{1F600}", main: import.meta.main, bundle: [...(globalThis[Symbol.for("@servicekit/bundle")] ?? [])].length }));`,
      "dist/part.js": 'export const part = "of the program";',
      "dist/where.js": "export const where = import.meta.filename.endsWith('where.js');",
      "dist/modules/post/post.model.js": "export default {};",
      "dist/modules/post/post.test.js": "throw new Error('a test');",
      "dist/modules/post/notes.txt": "",
      "node_modules/plain/package.json": manifest("plain"),
      "node_modules/plain/index.js":
        'const { join } = require("path"); module.exports = join("a", "b") + (__dirname.endsWith("plain"));',
      "node_modules/native/package.json": manifest("native", { optionalDependencies: { "native-linux-x64": "1" } }),
      "node_modules/native/index.js": 'module.exports = "native";',
      "node_modules/big-table/package.json": manifest("big-table"),
      "node_modules/big-table/index.js": 'module.exports = require("./rows.json");',
      "node_modules/big-table/rows.json": JSON.stringify(Array.from({ length: 30_000 }, (_, at) => `row ${at}`)),
    });
    await bundleProgram(root);
    const folder = path.join(root, "dist/bundle");
    const files = fs.readdirSync(folder).filter((file) => file.endsWith(".js"));
    const text = files.map((file) => fs.readFileSync(path.join(folder, file), "utf8")).join("\n");
    expect(text).not.toContain("row 29999");
    expect(text).not.toMatch(/[\u0080-\uffff]/);
    expect(text).toContain("of the program");
    expect(text).toMatch(/from ?"native"/);
    expect(text).not.toMatch(/from ?"plain"|require\("plain"\)/);
    expect(text).not.toMatch(/from ?"node:fs"/);
    expect(text).not.toContain("a test");
    const output = execFileSync(process.execPath, [path.join(folder, "main.js")], { cwd: root, encoding: "utf8" });
    expect(JSON.parse(output)).toMatchObject({
      ...{ plain: `${path.join("a", "b")}true`, native: "native", rows: 30_000, part: "of the program" },
      ...{ where: true, same: true, letters: "äß😀", bundle: 1 },
    });
  });

  it("C73 needs a built program", async () => {
    await expect(bundleProgram(makeFolder({ "package.json": "{}" }))).rejects.toThrow(CommandError);
  });
});
