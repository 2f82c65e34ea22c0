import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { CommandError } from "../src/command-error.js";
import { migrationsIn } from "../src/database/bring-to-schema.js";
import { seedProgram } from "../src/database/run-seed.js";
import { generateClient, outputsOf, schemaFiles } from "../src/generate/generate-client.js";
import {
  builtProgram,
  findProject,
  findProjectFolder,
  inspectedProgram,
  type Project,
  sourceProgram,
} from "../src/project/project.js";
import { writeAuthModel } from "../src/scaffold/auth-models.js";
import { ownModels, writeOwnModel } from "../src/scaffold/own-models.js";
import { modelOf } from "./models.js";
import { makeFolder } from "./temporary-folder.js";

describe("C73 the project of a folder", () => {
  it("C73 is the nearest package above, with its name, its schema and its migrations", async () => {
    const root = makeFolder({ "package.json": '{ "name": "shop" }', "prisma/schema.prisma": "", "src/a/b.ts": "" });
    expect(await findProject(path.join(root, "src/a"))).toEqual({
      ...{ root, name: "shop", data: path.join(root, ".data/postgres"), file: path.join(root, ".data/dev.db") },
      schema: path.join(root, "prisma/schema.prisma"),
      migrations: path.join(root, "prisma/migrations"),
    });
  });

  it("C73 follows prisma.config.*, and works without one that fails", async () => {
    const files = { "package.json": '{ "type": "module" }', "db/s.prisma": "", "schema.prisma": "" };
    const root = makeFolder({
      ...files,
      "prisma.config.mjs": 'export default { schema: "db/s.prisma", migrations: { path: "db/m" } };',
    });
    const project = await findProject(root);
    expect([project.schema, project.migrations]).toEqual([path.join(root, "db/s.prisma"), path.join(root, "db/m")]);
    const broken = makeFolder({ ...files, "prisma.config.mjs": 'throw new Error("no variable");' });
    expect((await findProject(broken)).schema).toBe(path.join(broken, "schema.prisma"));
  });

  it("C73 is named after its folder without a name, and may have no schema", async () => {
    for (const manifest of ["{}", "nonsense", '{ "name": 5 }']) {
      const root = makeFolder({ "package.json": manifest });
      expect(findProjectFolder(root).name).toBe(path.basename(root));
      expect((await findProject(root)).schema).toBeUndefined();
    }
  });

  it("C73 has a program of its sources, a built one, and a seed", () => {
    const root = makeFolder({ "src/index.ts": "", "dist/index.js": "", "dist/seed.js": "", "prisma/seed.ts": "" });
    const folder = { root, name: "x", data: "", file: "" };
    expect([sourceProgram(root), builtProgram(root), seedProgram(folder)]).toEqual(
      ["src/index.ts", "dist/index.js", "prisma/seed.ts"].map((file) => path.join(root, file)),
    );
    const empty = makeFolder();
    expect([sourceProgram(empty), builtProgram(empty), seedProgram({ ...folder, root: empty })]).toEqual(
      Array(3).fill(undefined),
    );
  });

  it("C73 is inspected by src/service.ts if that creates the service", () => {
    const created = makeFolder({
      "src/index.ts": "",
      "src/service.ts": "export const api = await service.create({});",
    });
    expect(inspectedProgram(created)).toBe(path.join(created, "src/service.ts"));
    const other = makeFolder({ "src/index.ts": "", "src/service.ts": "export class Service {}" });
    expect(inspectedProgram(other)).toBe(path.join(other, "src/index.ts"));
    expect(inspectedProgram(makeFolder({ "dist/main.js": "" }))).toMatch(/dist\/main\.js$/);
  });

  it("C73 has the migrations of its folder, in their order", () => {
    const root = makeFolder({ "m/2_b/migration.sql": "", "m/1_a/migration.sql": "", "m/migration_lock.toml": "" });
    expect(migrationsIn(path.join(root, "m"))).toEqual(["1_a", "2_b"]);
    expect(migrationsIn(path.join(root, "none"))).toEqual([]);
  });
});

/** A project with a generator that only Prisma's command line runs, which is a program that writes and logs. */
function makeProject(files: Readonly<Record<string, string>> = {}): Project & { readonly runs: () => number } {
  const root = makeFolder({
    "package.json": "{}",
    "prisma/schema.prisma": schemaOf("prisma-client-js", "../out"),
    "node_modules/prisma/package.json": '{ "version": "1.0.0", "bin": { "prisma": "cli.js" } }',
    "node_modules/prisma/cli.js": `const fs = require("fs");
fs.appendFileSync("log", process.argv.slice(2).join(" ") + "\\n");
fs.mkdirSync("out", { recursive: true });
if (fs.existsSync("fail")) { console.error("bad schema"); process.exit(2); }`,
    ...files,
  });
  const log = path.join(root, "log");
  return {
    ...{ root, name: "x", data: "", file: "", migrations: "", schema: path.join(root, "prisma/schema.prisma") },
    runs: () => (fs.existsSync(log) ? fs.readFileSync(log, "utf8").trim().split("\n").length : 0),
  };
}

const schemaOf = (provider: string, output: string): string => `datasource db {
  provider = "postgresql"
}

generator client {
  provider = "${provider}"
  output   = "${output}"
}

model Note {
  id Int @id
}
`;

/** A project without Prisma's command line. */
function makeProjectWithoutPrisma(provider: string, clientVersion: string): Project {
  const root = makeFolder({
    "package.json": "{}",
    "prisma/schema.prisma": schemaOf(provider, "../out"),
    "node_modules/@prisma/client/package.json": JSON.stringify({ version: clientVersion }),
  });
  return { root, name: "x", data: "", file: "", migrations: "", schema: path.join(root, "prisma/schema.prisma") };
}

describe("C73 service generate without Prisma's command line", () => {
  // The only built file that a test reads: it is written here if the packages have not been built.
  beforeAll(() => {
    const folder = path.join(import.meta.dirname, "../../prisma");
    if (fs.existsSync(path.join(folder, "dist/client-generator.cjs"))) return;
    execFileSync(process.execPath, ["../../scripts/bundle-client-generator.mjs"], { cwd: folder });
  });

  it("C73 writes the client in this process", async () => {
    const project = makeProjectWithoutPrisma("prisma-client", "7.10.0");
    expect([await generateClient(project), await generateClient(project)]).toEqual([true, false]);
    expect(fs.readFileSync(path.join(project.root, "out/client.ts"), "utf8")).toContain("Note");
  });

  it("C73 shows Prisma's error about the schema", async () => {
    const project = makeProjectWithoutPrisma("prisma-client", "7.10.0");
    fs.appendFileSync(project.schema ?? "", "model Broken {\n  id Nothing @id\n}\n");
    await expect(generateClient(project)).rejects.toThrow(/^service generate: error: Type "Nothing" is neither/);
  });

  it("C73 reports the command that installs Prisma's, where only that can generate", async () => {
    const other = makeProjectWithoutPrisma("prisma-client", "7.9.0");
    await expect(generateClient(other)).rejects.toThrow(
      "service generate: @prisma/client is 7.9.0, and this version of servicekit generates for 7.10.0: another version requires the command line of Prisma. Install it: npm install --save-dev prisma@7.9.0",
    );
    const foreign = makeProjectWithoutPrisma("prisma-client-js", "7.10.0");
    await expect(generateClient(foreign)).rejects.toThrow(
      `Only Prisma's command line runs the generator "prisma-client-js" of the schema. Install it: npm install --save-dev prisma@7.10.0`,
    );
  });
});

describe("C73 service generate", () => {
  it("C73 runs prisma generate only when something has changed, or when forced", async () => {
    const project = makeProject();
    const schema = project.schema ?? "";
    expect([await generateClient(project), await generateClient(project), project.runs()]).toEqual([true, false, 1]);
    expect(fs.readFileSync(path.join(project.root, "log"), "utf8")).toMatch(/^generate\b/);
    expect([await generateClient(project, true), project.runs()]).toEqual([true, 2]);
    fs.appendFileSync(schema, "\n// changed\n");
    expect([await generateClient(project), await generateClient(project)]).toEqual([true, false]);
    fs.rmSync(path.join(project.root, "out"), { recursive: true });
    expect(await generateClient(project)).toBe(true);
    const manifest = path.join(project.root, "node_modules/prisma/package.json");
    fs.writeFileSync(manifest, fs.readFileSync(manifest, "utf8").replace("1.0.0", "1.0.1"));
    expect(await generateClient(project)).toBe(true);
  });

  it("C73 reports what Prisma prints when it fails, and tries again the next time", async () => {
    const project = makeProject({ fail: "" });
    await expect(generateClient(project)).rejects.toThrow(/bad schema/);
    fs.rmSync(path.join(project.root, "fail"));
    expect(await generateClient(project)).toBe(true);
  });

  it("C73 reports a missing schema", async () => {
    await expect(generateClient({ ...makeProject(), schema: undefined })).rejects.toThrow(CommandError);
  });

  it("C73 reads a schema of several files in one order, and the outputs of all", () => {
    const root = makeFolder({
      "s/b.prisma": 'generator a {\n  output   = "./x"\n}',
      "s/a/c.prisma": 'generator b {\n  output="../../y"\n}',
      "s/note.md": 'output = "z"',
    });
    const folder = path.join(root, "s");
    expect(schemaFiles(folder)).toEqual([path.join(folder, "a/c.prisma"), path.join(folder, "b.prisma")]);
    expect(outputsOf(folder)).toEqual([path.join(root, "y"), path.join(folder, "x")]);
  });
});

describe("C73 service generate sessions | keys", () => {
  const user = modelOf("User");
  const schema = "model User {\n  id Int @id\n}\n\nmodel Other {\n  id Int @id\n}\n";

  it.each(["sessions", "keys"] as const)("C73 writes the model of %s and the relation of User", (word) => {
    const root = makeFolder({ "schema.prisma": schema });
    const file = path.join(root, "schema.prisma");
    expect(writeAuthModel({ schema: file } as Project, word, user)).toBe(file);
    const text = fs.readFileSync(file, "utf8");
    const name = word === "sessions" ? "AuthSession" : "AuthKey";
    expect(text).toContain(`model User {\n  id Int @id\n\n  /// @hidden\n  ${word} ${name}[]\n}\n`);
    expect(text).toMatch(new RegExp(`model ${name} \\{[\\s\\S]*userId +Int\\n +user +User @relation`));
    expect(text).toContain("model Other {\n  id Int @id\n}\n");
    expect(() => writeAuthModel({ schema: file } as Project, word, user)).toThrow(CommandError);
  });

  it("C73 C117 writes models for SQLite without lists and column types, and none for changes", () => {
    const sqlite = `datasource db {\n  provider = "sqlite"\n}\n\n${schema}`;
    const file = path.join(makeFolder({ "schema.prisma": sqlite }), "schema.prisma");
    const project = { schema: file } as Project;
    writeAuthModel(project, "keys", user);
    writeAuthModel(project, "sessions", user);
    const text = fs.readFileSync(file, "utf8");
    expect(text).toMatch(/^ {2}roles +Json @default\("\[\]"\)$/m);
    expect(text).toMatch(/^ {2}refreshHash +String$/m);
    expect(text).not.toMatch(/@db|\[\]$(?<!(?:AuthKey|AuthSession)\[\])/m);
    for (const own of Object.values(ownModels))
      expect(() => writeOwnModel(project, own)).toThrow("which SQLite does not offer. Use PostgreSQL.");
    expect(fs.readFileSync(file, "utf8")).toBe(text);
  });

  it("C73 C106 writes the model of changes to the first file with models, once", () => {
    const root = makeFolder({
      "schema/a.prisma": 'datasource db {\n  provider = "postgresql"\n}\n',
      "schema/b.prisma": schema,
    });
    const project = { schema: path.join(root, "schema") } as Project;
    expect(writeOwnModel(project, ownModels.changes)).toBe(path.join(root, "schema/b.prisma"));
    expect(fs.readFileSync(path.join(root, "schema/b.prisma"), "utf8")).toContain("\nmodel Change {\n  id ");
    expect(() => writeOwnModel(project, ownModels.changes)).toThrow("already has a model Change");
    expect(() => writeOwnModel({ schema: path.join(root, "schema/a.prisma") } as Project, ownModels.changes)).toThrow(
      "has no model",
    );
  });

  it("C73 rejects a schema without User, a user with two ids, and a field that exists", () => {
    const file = path.join(makeFolder({ "schema.prisma": "model Other {\n}\n" }), "schema.prisma");
    expect(() => writeAuthModel({ schema: file } as Project, "keys", user)).toThrow(CommandError);
    const other = path.join(makeFolder({ "schema.prisma": "model Pair {\n}\n" }), "schema.prisma");
    expect(() => writeAuthModel({ schema: other } as Project, "keys", modelOf("Pair"))).toThrow(CommandError);
    const fields = new Map(user.fieldsByName).set("keys", user.fields[0] as never);
    const third = path.join(makeFolder({ "schema.prisma": schema }), "schema.prisma");
    expect(() => writeAuthModel({ schema: third } as Project, "keys", { ...user, fieldsByName: fields })).toThrow(
      "keys",
    );
    expect(fs.readFileSync(third, "utf8")).toBe(schema);
  });
});
