import { mkdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { beforeAll, describe, expect, it } from "vitest";
import { findConfigFile, findPackageRoot, importConfigFile, importModule, readEnvironment } from "../src/internal.js";
import { importInNode, makeProject, runInNode } from "./project.js";

/** The message with which a promise rejects. */
const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "",
    (error: unknown) => {
      expect(error).toBeInstanceOf(StartupError);
      return (error as StartupError).message;
    },
  );

describe("findConfigFile", () => {
  it.each(["ts", "mts", "js", "mjs", "cjs", "json"])("C39 finds service.config.%s", async (ending) => {
    const folder = await makeProject({ [`service.config.${ending}`]: "" });
    expect(await findConfigFile(folder, "service")).toBe(path.join(folder, `service.config.${ending}`));
  });

  it("C39 finds it in the nearest package root above, and not further up", async () => {
    const folder = await makeProject({
      "service.config.js": "",
      "src/deep/x.js": "",
      "own/service.config.json": "",
      "inner/package.json": "{}",
      "inner/src/x.js": "",
    });
    const found = (name: string) => findConfigFile(path.join(folder, name), "service");
    expect(await found("src/deep")).toBe(path.join(folder, "service.config.js"));
    expect(await found("own")).toBe(path.join(folder, "own", "service.config.json"));
    expect(await found("inner/src")).toBeUndefined();
    expect(await found("not/there")).toBe(path.join(folder, "service.config.js"));
  });

  it.each(["src", "config", "dist"])("C39 rejects a file in %s of the package, where it is not read", async (name) => {
    const folder = await makeProject({ [`${name}/service.config.ts`]: "", "package.json": "{}", "src/deep/x.js": "" });
    const misplaced = path.join(folder, name, "service.config.ts");
    const message = `${misplaced} is not read. Move it to ${path.join(folder, "service.config.ts")}.`;
    expect(await messageOf(findConfigFile(folder, "service"))).toContain(message);
    expect(await messageOf(findConfigFile(path.join(folder, "src/deep"), "service"))).toContain(message);
    // The working directory is where a file is expected.
    expect(await findConfigFile(path.join(folder, name), "service")).toBe(misplaced);
    expect(await findConfigFile(folder, "other")).toBeUndefined();
  });

  it("C39 rejects a second file in src or config beside the one that is read, but no compiled one in dist", async () => {
    for (const name of ["src", "config"]) {
      const folder = await makeProject({ "service.config.json": "", [`${name}/service.config.mjs`]: "" });
      const [file, other] = ["service.config.json", `${name}/service.config.mjs`].map((one) => path.join(folder, one));
      expect(await messageOf(findConfigFile(folder, "service"))).toContain(
        `${other} is not read, because the configuration is ${file}. Move its values there, and remove it.`,
      );
    }
    const folder = await makeProject({ "service.config.ts": "", "dist/service.config.js": "" });
    expect(await findConfigFile(folder, "service")).toBe(path.join(folder, "service.config.ts"));
  });

  it("ignores a folder of that name and files with another base name", async () => {
    const folder = await makeProject({ "service.config.ts/x": "", "other.config.ts": "", "service.config.yaml": "" });
    expect(await findConfigFile(folder, "service")).toBeUndefined();
  });

  it("reports both if there are two", async () => {
    const folder = await makeProject({ "service.config.ts": "", "service.config.json": "" });
    const message = await messageOf(findConfigFile(folder, "service"));
    expect(message).toContain("service.config.ts and service.config.json. Remove all but one.");
  });
});

describe("findPackageRoot", () => {
  it("finds the nearest folder with a package.json, including the directory itself", async () => {
    const folder = await makeProject({ "src/deep/x.js": "", "inner/package.json": "{}", "odd/package.json/x": "" });
    const found = (name: string) => findPackageRoot(path.join(folder, name));
    expect(found("")).toBe(folder);
    expect(found("src/deep")).toBe(folder);
    expect(found("not/there")).toBe(folder);
    expect(found("inner/src")).toBe(path.join(folder, "inner"));
    expect(found("odd")).toBe(folder);
  });

  it("finds none if there is none", () => {
    expect(findPackageRoot("/")).toBeUndefined();
  });
});

describe("importConfigFile", () => {
  it("C39 reads every kind of file with an object, a promise or a function", async () => {
    const projects = [
      { "service.config.mjs": "export default { port: 1 };" },
      { "service.config.js": "export default Promise.resolve({ port: 1 });" },
      { "service.config.js": "export default () => ({ port: 1 });" },
      { "service.config.js": "export default async () => ({ port: 1 });" },
      { "service.config.cjs": "module.exports = { port: 1 };" },
      { "service.config.cjs": "exports.__esModule = true; exports.default = { port: 1 };" },
      { "service.config.cjs": "module.exports = async () => ({ port: 1 });" },
      { "service.config.json": '{"port": 1}' },
      { "service.config.json": '\uFEFF{"port": 1}' },
      { "service.config.ts": "const port: number = 1; export default { port } satisfies { port: number };" },
      { "service.config.mts": "enum Port { One = 1 } export default { port: Port.One };" },
    ];
    const results = await importInNode(projects);
    for (const [index, files] of projects.entries()) {
      expect({ files, ...results[index] }).toEqual({ files, value: { port: 1 } });
    }
  });

  it.each<[string, string, string]>([
    ["service.config.js", "export const port = 1;", "found nothing, expected an object as the default export."],
    ["service.config.js", "export default [1];", "found a list of 1, expected an object as the default export."],
    [
      "service.config.js",
      "export default () => undefined;",
      "found nothing, expected an object as the default export.",
    ],
    ["service.config.js", "export default new Map();", "found an object of the class Map, expected"],
    ["service.config.json", "3", "found 3 (a number), expected an object."],
    ["service.config.json", "", "Unexpected end of JSON input\n    at "],
  ])("reports what %s exports instead of an object: %s", async (name, text, message) => {
    const folder = await makeProject({ [name]: text });
    expect(await messageOf(importConfigFile(path.join(folder, name)))).toContain(message);
  });

  describe("a failing file", () => {
    const cases: [title: string, files: Record<string, string>, shown: string][] = [
      [
        "a runtime error in TypeScript",
        {
          "service.config.ts":
            "interface A {\n  a: string;\n}\nconst a = undefined as unknown as A;\n\nexport default { port: a.a.length };\n",
        },
        "TypeError: Cannot read properties of undefined (reading 'a')\n    at service.config.ts:6:26\n    6 | export default { port: a.a.length };\n                                 ^",
      ],
      [
        "a syntax error in TypeScript",
        { "service.config.ts": "interface A {\n  a: 1;\n}\nexport default {\n  port: 1\n  host: 2,\n};\n" },
        "SyntaxError: Expected `,` or `}` but found `Identifier`\n    at service.config.ts:6:3\n    6 |   host: 2,\n          ^",
      ],
      [
        "a syntax error in JavaScript that is imported (Node does not expose its position)",
        {
          "service.config.ts": 'import "./b.js";\nexport default {};\n',
          "b.js": "export const b = {\n  c: 1\n  d: 2,\n};\n",
        },
        "SyntaxError: Unexpected identifier 'd'",
      ],
      [
        "an error in what it imports",
        {
          "service.config.ts": 'import "./b.js";\nexport default {};\n',
          "b.ts": "type B = 1;\n\nthrow new RangeError('no b');\n",
        },
        "RangeError: no b\n    at b.ts:3:7\n    3 | throw new RangeError('no b');",
      ],
      [
        "an error in a package",
        {
          "service.config.ts":
            'import { z } from "zod";\ntype A = 1;\n\nconst a = z.string().parse(1);\nexport default { a };\n',
        },
        "at service.config.ts:4:22\n    4 | const a = z.string().parse(1);",
      ],
      [
        "a missing file",
        { "service.config.ts": 'type A = 1;\nimport { b } from "./gone.js";\nexport default { b };\n' },
        'at service.config.ts:2\n    2 | import { b } from "./gone.js";',
      ],
      [
        "a missing package",
        { "service.config.mjs": 'import { b } from "no-such-package";\nexport default { b };\n' },
        'at service.config.mjs:1\n    1 | import { b } from "no-such-package";',
      ],
      [
        "a missing export",
        {
          "service.config.ts": 'interface A {\n  a: 1;\n}\nimport { b } from "./b.js";\nexport default { b };\n',
          "b.ts": "",
        },
        'at service.config.ts:4\n    4 | import { b } from "./b.js";',
      ],
      [
        "an error of the function",
        {
          "service.config.ts":
            "interface A {\n  a: 1;\n}\nexport default async () => {\n  throw new Error('later');\n};\n",
        },
        "Error: later\n    at service.config.ts:5:9\n    5 |   throw new Error('later');",
      ],
      [
        "a syntax error in JavaScript",
        { "service.config.js": "export default {\n  c: 1\n  d: 2,\n};\n" },
        "SyntaxError: Unexpected identifier 'd'\n    at service.config.js:3:3\n    3 |   d: 2,\n          ^",
      ],
      ["a thrown text", { "service.config.js": "throw 'a text';\n" }, 'service.config.js: it threw "a text".'],
      [
        "a rejected promise",
        { "service.config.js": "export default Promise.reject(new Error('no'));\n" },
        "at service.config.js:1:31",
      ],
      ["JSON", { "service.config.json": '{\n  "port": 1,\n}\n' }, "at service.config.json:3\n    3 | }"],
      [
        "CommonJS",
        { "service.config.cjs": "\nmodule.exports = { a: b };\n" },
        "ReferenceError: b is not defined\n    at service.config.cjs:2:23",
      ],
    ];
    let results: Awaited<ReturnType<typeof importInNode>> = [];
    beforeAll(async () => {
      results = await importInNode(cases.map(([, files]) => files));
    });
    it.each(cases.map(([title, , shown], index) => ({ title, shown, index })))(
      "shows its own line: $title",
      ({ shown, index }) => {
        expect(results[index]?.name).toBe("StartupError");
        expect(results[index]?.message).toContain(shown);
      },
    );
  });

  it.each(["gone.config.json", "gone.config.ts", "gone.config.js"])("reports that %s does not exist", async (name) => {
    expect(await messageOf(importConfigFile(path.join(import.meta.dirname, name)))).toContain("ENOENT");
  });

  it("gives two services the same file, and reads a changed file again", async () => {
    const folder = await makeProject({ "service.config.ts": "export default { port: 1 as number };" });
    const script = `
      const { writeFile, utimes } = await import("node:fs/promises");
      const first = await loader.importConfigFile("service.config.ts");
      const second = await loader.importConfigFile("service.config.ts");
      await writeFile("service.config.ts", "export default { port: 22 as number };");
      const third = await loader.importConfigFile("service.config.ts");
      report([first === second, first.port, third.port]);`;
    expect(await runInNode(folder, script)).toEqual([true, 1, 22]);
  });

  it("detects a change inside a test runner too", async () => {
    const folder = await makeProject({
      "service.config.json": '{"port":1}',
      "service.config.mjs": "export default {port:1}",
    });
    const file = path.join(folder, "service.config.mjs");
    expect(await importConfigFile(file)).toEqual({ port: 1 });
    await writeFile(file, "export default {port:2}");
    await utimes(file, 1, 1);
    expect(await importConfigFile(file)).toEqual({ port: 2 });
  });
});

describe("importModule", () => {
  it("C44 loads decorated classes with the metadata of their types", async () => {
    const folder = await makeProject({
      "artist.dtos.ts": `
        import "reflect-metadata";
        import { IsString, validateSync } from "class-validator";
        import { Address } from "./address.js";
        import type { Shape } from "./shape.js";
        export class ArtistDto implements Shape {
          @IsString() name!: string;
          @IsString() since?: Date;
          @IsString() address!: Address;
          @IsString() tags!: string[];
          constructor(@Reflect.metadata("a", 1) readonly id: number = 3) {}
        }
        export const types = ["name", "since", "address", "tags"].map(
          (key) => Reflect.getMetadata("design:type", ArtistDto.prototype, key).name,
        );
        export const parameters = Reflect.getMetadata("design:paramtypes", ArtistDto).map(({ name }) => name);
        export const issues = validateSync(Object.assign(new ArtistDto(), { name: 3 })).map(({ property }) => property);
      `,
      "address.ts": "export class Address {\n  street!: string;\n}\n",
      "shape.ts": "export interface Shape {\n  name: string;\n}\n",
    });
    const script = `
      const { types, parameters, issues } = await loader.importModule("artist.dtos.ts");
      report({ types, parameters, issues });`;
    expect(await runInNode(folder, script)).toEqual({
      types: ["String", "Date", "Address", "Array"],
      parameters: ["Number"],
      issues: ["name", "since", "address", "tags"],
    });
  });

  it.each([
    ['import "no-such-package";', "Install it: npm install no-such-package"],
    ['import "@no/such/deep.js";', "Install it: npm install @no/such"],
    ['import "./generated/prisma/client.js";', "Generate it: npx service generate"],
  ])("names the command that provides the missing import of %s", async (text, command) => {
    const folder = await makeProject({ "main.ts": text });
    const script = `report(await loader.importModule("main.ts").then(() => "", ({ message }) => message));`;
    expect(await runInNode(folder, script)).toContain(`${command}\n`);
  });

  it("names reflect-metadata where a program defines such a class itself, and only there", async () => {
    const folder = await makeProject({
      // As the decorator of class-transformer does.
      "artist.dto.mjs": `Reflect.getMetadata("design:type", {}, "since");`,
      "other.mjs": `throw new TypeError("It is broken.");`,
    });
    const errorOf = async (file: string) => {
      const script = `loader.explainExceptions(); loader.explainExceptions(); await import(${JSON.stringify(path.join(folder, file))});`;
      return runInNode(folder, script).then(
        () => "",
        ({ stderr }: { stderr: string }) => stderr,
      );
    };
    const fix =
      'Reflect.getMetadata is not a function. The decorators of this class need reflect-metadata: run "npm install reflect-metadata", and import "reflect-metadata" before the class.';
    expect((await errorOf("artist.dto.mjs")).split(fix)).toHaveLength(2);
    const other = await errorOf("other.mjs");
    expect(other).toContain("TypeError: It is broken.");
    expect(other).not.toContain("reflect-metadata");
  });

  it("names reflect-metadata if a decorator of a class requires it", async () => {
    const folder = await makeProject({
      "artist.dtos.ts": `
        export function Type() {
          return (target: object, name: string) => void Reflect.getMetadata("design:type", target, name);
        }
        export class ArtistDto { @Type() since!: Date; }`,
    });
    const script = `report(await loader.importModule("artist.dtos.ts").then(() => "", ({ message }) => message));`;
    expect(await runInNode(folder, script)).toContain(
      'TypeError: Reflect.getMetadata is not a function. The decorators of this class need reflect-metadata: run "npm install reflect-metadata"',
    );
  });

  it("resolves as TypeScript does, and returns a file that was imported before as the same module", async () => {
    const folder = await makeProject({
      "package.json": '{"type":"module","imports":{"#c":"./src/c.js"}}',
      "main.ts": `
        import { a } from "./src/a.js";
        import { b } from "./src/b";
        import { c } from "#c";
        import { d } from "./src";
        import { e } from "./src/e.mjs";
        import data from "./data.json" with { type: "json" };
        import type { Nothing } from "./nothing.js";
        import { z } from "zod";
        export { a };
        export const all = [a.name, b, c, d, e, data.f, typeof z.string, import.meta.url.endsWith("main.ts")];
      `,
      "src/a.ts": "export class a {}",
      "src/b.ts": "export const b: string = 'b';",
      "src/c.ts": "export const c: string = 'c';",
      "src/index.ts": "export const d: string = 'd';",
      "src/e.mts": "export const e: string = 'e';",
      "data.json": '{"f":"f"}',
    });
    const script = `
      const { all, a } = await loader.importModule("main.ts");
      const again = await loader.importModule("src/a.ts");
      report([...all, again.a === a, (await import(process.cwd() + "/src/a.ts")).a === a]);`;
    expect(await runInNode(folder, script)).toEqual(["a", "b", "c", "d", "e", "f", "function", true, true, true]);
  });

  it("does not load the TypeScript compiler for a JavaScript file", async () => {
    const folder = await makeProject({ "a.mjs": "export const a = 1;", "service.config.json": "{}" });
    await expect(importModule(path.join(folder, "a.mjs"))).resolves.toMatchObject({ a: 1 });
    await expect(importModule(path.join(folder, "gone.mjs"))).rejects.toThrow("gone.mjs");
    await expect(importModule(path.join(folder, "gone.ts"))).rejects.toThrow("gone.ts");
  });
});

describe("readEnvironment", () => {
  it("C39 reads a variable from the first of the real environment and the four files", async () => {
    const folder = await makeProject({
      ".env.production.local": "A=1\nB=1",
      ".env.production": "A=2\nB=2\nC=2",
      ".env.local": "A=3\nB=3\nC=3\nD=3",
      ".env": "A=4\nB=4\nC=4\nD=4\nE=4",
      ".env.test": "E=5",
    });
    const before = { ...process.env };
    const environment = await readEnvironment(folder, "production", { A: "real", F: "real", G: undefined });
    expect({ ...environment }).toEqual({
      A: "real",
      B: "1",
      C: "2",
      D: "3",
      E: "4",
      F: "real",
      NODE_ENV: "production",
    });
    expect(Object.isFrozen(environment)).toBe(true);
    expect(process.env).toEqual(before);
  });

  it.each<[Record<string, string>, Record<string, string>, string | undefined, string]>([
    [{}, {}, undefined, "development"],
    [{ ".env": "NODE_ENV=production" }, {}, undefined, "production"],
    [{ ".env": "NODE_ENV=production", ".env.local": "NODE_ENV=test" }, {}, undefined, "test"],
    [{ ".env": "NODE_ENV=production" }, { NODE_ENV: "test" }, undefined, "test"],
    [{ ".env": "NODE_ENV=production" }, { NODE_ENV: "" }, undefined, "production"],
    [{ ".env.test": "NODE_ENV=production" }, { NODE_ENV: "development" }, "test", "test"],
  ])("selects the files of NODE_ENV: %o, %o, %s", async (files, real, nodeEnv, chosen) => {
    const folder = await makeProject({ [`.env.${chosen}`]: `CHOSEN=${chosen}`, ...files });
    const environment = await readEnvironment(folder, nodeEnv, real);
    expect(environment.NODE_ENV).toBe(chosen);
    if (!(`.env.${chosen}` in files)) expect(environment.CHOSEN).toBe(chosen);
  });

  it("reads the format of dotenv with literal values, and ignores blank ones", async () => {
    const folder = await makeProject({
      ".env":
        '\uFEFF# a comment\nexport A="two\\nlines"\nB=\'$A\' # not replaced\nC=$\u007bA}/c\nD=a#b\r\nE="a # b"\nF=\n__proto__=x\n',
    });
    expect({ ...(await readEnvironment(folder, "test", {})) }).toEqual({
      A: "two\nlines",
      B: "$A",
      C: "$\u007bA}/c",
      D: "a",
      E: "a # b",
      NODE_ENV: "test",
    });
    expect((await readEnvironment(folder, "test", {})).constructor).toBeUndefined();
  });

  it("C97 treats a blank variable as unset, in every file and in the real environment", async () => {
    const folder = await makeProject({ ".env": "A=base\nB=base\nC= \n", ".env.local": "A=\nB=local\n" });
    const environment = await readEnvironment(folder, " ", { B: " ", C: "", NODE_ENV: "\t" });
    expect({ ...environment }).toEqual({ A: "base", B: "local", NODE_ENV: "development" });
  });

  it("treats a missing file and folder as empty, and reports every file that cannot be read", async () => {
    const folder = await makeProject({ ".env.local": new Uint8Array([0xff, 0xfe, 0x41, 0x00]) });
    await mkdir(path.join(folder, ".env"));
    const message = await messageOf(readEnvironment(folder, "test", {}));
    expect(message).toContain(".env.local: The file cannot be read: it is not UTF-8.");
    expect(message).toContain(".env: The file cannot be read: EISDIR");
    expect({ ...(await readEnvironment(path.join(folder, "gone"), "test", {})) }).toEqual({ NODE_ENV: "test" });
  });

  it.each(["../../etc/passwd", "a/b", "a b", "a\0b"])("rejects %j as NODE_ENV", async (nodeEnv) => {
    await expect(readEnvironment(".", nodeEnv, {})).rejects.toThrow("NODE_ENV");
  });
});
