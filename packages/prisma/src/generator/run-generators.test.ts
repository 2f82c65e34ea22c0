import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Generator, GeneratorOptions } from "@prisma/generator-helper";
import { afterEach, describe, expect, it } from "vitest";
import { PrismaCliRequiredError, runGenerators, SchemaError } from "./run-generators.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true });
});

/** A folder with these files. */
function write(files: Readonly<Record<string, string>>): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "generators-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const datasource = 'datasource db {\n  provider = "postgresql"\n}\n';
const own = (options = "") => `generator service {\n  provider = "servicekit-prisma"\n${options}}\n`;
const clientBlock = 'generator client {\n  provider = "prisma-client"\n  output = "./client"\n}\n';
const shop = "model Shop {\n  id Int @id\n  items Item[]\n}\n";
const item = "model Item {\n  id Int @id\n  shopId Int\n  shop Shop @relation(fields: [shopId], references: [id])\n}\n";

/** Prisma's generator of clients, which records its options. */
function fakeClient(manifest: { readonly version?: string; readonly requiresEngineVersion?: string } = {}) {
  const runs: GeneratorOptions[] = [];
  const generator: Generator = {
    name: "client",
    getManifest: async () => ({ prettyName: "client", defaultOutput: "./default", ...manifest }),
    generate: async (options) => {
      runs.push(options);
    },
  };
  return { generator, runs };
}

describe("the generators of a schema", () => {
  it("write into the default folder, which is relative to the schema", async () => {
    const folder = write({ "prisma/schema.prisma": datasource + own() + shop + item });
    await runGenerators({ schema: path.join(folder, "prisma/schema.prisma") });
    const written = path.join(folder, "src/generated/service");
    expect(fs.readdirSync(written)).toEqual(["models.ts"]);
    expect(fs.readFileSync(path.join(written, "models.ts"), "utf8")).toContain('"Shop"');
  });

  it("write the requested modules into the folder of the block", async () => {
    const options = '  output = "./out"\n  schemas = "zod"\n  dtos = "class-validator"\n  api = "types"\n';
    const folder = write({ "schema.prisma": datasource + own(options) + shop + item });
    await runGenerators({ schema: path.join(folder, "schema.prisma") });
    expect(fs.readdirSync(path.join(folder, "out")).sort()).toEqual(["api.ts", "dtos.ts", "models.ts", "schemas.ts"]);
    const read = (file: string) => fs.readFileSync(path.join(folder, "out", file), "utf8");
    expect(read("schemas.ts")).toContain("export const ItemCreate");
    expect(read("dtos.ts")).toContain("export class CreateItemDto");
    expect(read("api.ts")).toContain("export interface Api {");
    for (const [line, file] of [
      ['  schemas = "zod"\n', "schemas.ts"],
      ['  dtos = "class-lib"\n', "dtos.ts"],
      ['  api = "types"\n', "api.ts"],
    ] as const) {
      const one = write({ "schema.prisma": datasource + own(`  output = "./out"\n${line}`) + shop + item });
      await runGenerators({ schema: path.join(one, "schema.prisma") });
      expect(fs.readdirSync(path.join(one, "out")).sort()).toEqual([file, "models.ts"].sort());
    }
  });

  it("read all files of a folder, and no others", async () => {
    const folder = write({
      "schema/main.prisma": datasource + own('  output = "../out"\n') + shop,
      "schema/more/item.prisma": item,
      "schema/notes.txt": "no schema",
    });
    await runGenerators({ schema: path.join(folder, "schema") });
    const models = fs.readFileSync(path.join(folder, "out/models.ts"), "utf8");
    expect(models).toContain('"Shop"');
    expect(models).toContain('"Item"');
  });

  it("are those with the given names, or all", async () => {
    const { generator: client, runs } = fakeClient();
    const folder = write({ "schema.prisma": datasource + own('  output = "./out"\n') + clientBlock + shop + item });
    const schema = path.join(folder, "schema.prisma");
    await runGenerators({ schema, client, generators: ["client"] });
    expect(fs.existsSync(path.join(folder, "out"))).toBe(false);
    await runGenerators({ schema, client, generators: ["service"] });
    expect([fs.existsSync(path.join(folder, "out")), runs.length]).toEqual([true, 1]);
    await runGenerators({ schema, client });
    expect(runs).toHaveLength(2);
  });

  it("get the schema, their own block and the others", async () => {
    const { generator: client, runs } = fakeClient({ requiresEngineVersion: "abc" });
    const text = datasource + own('  output = "./out"\n') + clientBlock + shop + item;
    const folder = write({ "schema.prisma": text });
    await runGenerators({ schema: path.join(folder, "schema.prisma"), client });
    expect(runs).toMatchObject([
      {
        generator: { name: "client", output: { value: path.join(folder, "client") }, isCustomOutput: true },
        otherGenerators: [{ name: "service" }],
        schemaPath: path.join(folder, "schema.prisma"),
        datasources: [{ activeProvider: "postgresql" }],
        version: "abc",
      },
    ]);
    expect(runs[0]?.dmmf.datamodel.models.map(({ name }) => name)).toEqual(["Shop", "Item"]);
    const plain = write({
      "schema.prisma": datasource + clientBlock.replace('  output = "./client"\n', "") + shop + item,
    });
    await runGenerators({ schema: path.join(plain, "schema.prisma"), client });
    expect(runs[1]?.generator).toMatchObject({
      output: { value: path.join(plain, "default") },
      isCustomOutput: false,
    });
  });

  it("of other providers require Prisma's command line, and nothing is written", async () => {
    const foreign = 'generator other {\n  provider = "prisma-client-js"\n}\n';
    const folder = write({ "schema.prisma": datasource + own('  output = "./out"\n') + foreign + shop + item });
    const run = runGenerators({ schema: path.join(folder, "schema.prisma") });
    await expect(run).rejects.toThrow(
      new PrismaCliRequiredError(`Only Prisma's command line runs the generator "prisma-client-js" of the schema.`),
    );
    expect(fs.existsSync(path.join(folder, "out"))).toBe(false);
  });

  it("of another version than the client require Prisma's command line", async () => {
    const { generator: client, runs } = fakeClient({ version: "7.0.0" });
    const folder = write({ "schema.prisma": datasource + clientBlock + shop + item });
    const schema = path.join(folder, "schema.prisma");
    await expect(runGenerators({ schema, client, clientVersion: "7.1.0" })).rejects.toThrow(
      "@prisma/client is 7.1.0, and this version of servicekit generates for 7.0.0",
    );
    expect(runs).toEqual([]);
    await runGenerators({ schema, client, clientVersion: "7.0.0" });
    await runGenerators({ schema, client });
    await runGenerators({ schema, client: fakeClient().generator, clientVersion: "7.1.0" });
    expect(runs).toHaveLength(2);
  });

  it("report an invalid schema with Prisma's message", async () => {
    const folder = write({ "schema.prisma": `${datasource}model Shop {\n  id Number @id\n}\n` });
    const error = await runGenerators({ schema: path.join(folder, "schema.prisma") }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(SchemaError);
    expect(String(error)).toContain('Type "Number" is neither a built-in type');
    expect(String(error)).not.toContain('"error_code"');
  });

  it("reject other databases", async () => {
    const folder = write({
      "schema.prisma": `${datasource.replace("postgresql", "sqlserver")}${own('  output = "./out"\n')}model A {\n  id Int @id\n}\n`,
    });
    await expect(runGenerators({ schema: path.join(folder, "schema.prisma") })).rejects.toThrow(
      'the datasource of the schema has the provider "sqlserver"',
    );
    expect(fs.existsSync(path.join(folder, "out"))).toBe(false);
  });
});
