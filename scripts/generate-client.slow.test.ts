import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { PrismaCliRequiredError, runGenerators, SchemaError } from "../packages/prisma/src/generator/run-generators.js";
import { generateClient } from "./generate-client.js";

const packageFolder = path.join(import.meta.dirname, "..", "packages", "prisma");
const cli = path.join(
  path.dirname(createRequire(path.join(packageFolder, "package.json")).resolve("prisma/package.json")),
  "build/index.js",
);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-generate-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Copies the schema of the example into a separate folder. */
function makeProject(name: string): string {
  const schema = path.join(folder, name, "prisma", "schema.prisma");
  fs.cpSync(path.join(import.meta.dirname, "..", "apps", "example", "prisma", "schema.prisma"), schema);
  return schema;
}

function readGenerated(schema: string): Record<string, string> {
  const output = path.join(path.dirname(schema), "..", "src", "generated");
  const entries = fs.readdirSync(output, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => path.join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(files.map((file) => [path.relative(output, file), fs.readFileSync(file, "utf8")]));
}

const variants = {
  "of the example": (text: string) => text,
  "with options of the generator": (text: string) =>
    text.replace(
      'output   = "../src/generated/prisma"',
      'output = "../src/generated/prisma"\n  moduleFormat = "cjs"\n  runtime = "bun"\n  previewFeatures = ["views"]',
    ),
};

it.each(Object.entries(variants))(
  "writes the same client as the Prisma CLI for the schema %s",
  async (name, change) => {
    const [bundled, own, theirs] = ["bundled", "own", "cli"].map((by) => makeProject(path.join(name, by))) as [
      string,
      string,
      string,
    ];
    for (const schema of [bundled, own, theirs]) fs.writeFileSync(schema, change(fs.readFileSync(schema, "utf8")));
    await runGenerators({ schema: bundled, generators: ["client"] });
    await generateClient({ schema: own, generators: ["client"] });
    await promisify(execFile)(process.execPath, [cli, "generate", "--schema", theirs, "--generator", "client"], {
      cwd: path.dirname(theirs),
      // The CLI downloads an engine that generating does not use, unless one is configured.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" },
    });
    const written = readGenerated(theirs);
    expect(Object.keys(written)).toContain("prisma/client.ts");
    expect(readGenerated(bundled)).toEqual(written);
    expect(readGenerated(own)).toEqual(written);
  },
);

it("writes the modules that the generator block of servicekit requests", async () => {
  const schema = makeProject("modules");
  await generateClient({ schema, generators: ["service"] });
  expect(Object.keys(readGenerated(schema))).toEqual(["service/api.ts", "service/models.ts"]);
});

it("writes nothing for an invalid schema, a generator of another package, or another version of the client", async () => {
  const invalid = makeProject("invalid");
  fs.appendFileSync(invalid, "\nmodel Broken {\n  id Nothing @id\n}\n");
  await expect(runGenerators({ schema: invalid })).rejects.toThrow(SchemaError);
  await expect(runGenerators({ schema: invalid })).rejects.toThrow(/^error: Type "Nothing" is neither/);
  const foreign = makeProject("foreign");
  fs.appendFileSync(foreign, '\ngenerator erd {\n  provider = "prisma-erd-generator"\n}\n');
  await expect(runGenerators({ schema: foreign })).rejects.toThrow(PrismaCliRequiredError);
  const other = makeProject("other");
  await expect(runGenerators({ schema: other, clientVersion: "7.0.0" })).rejects.toThrow(PrismaCliRequiredError);
  for (const schema of [invalid, foreign, other])
    expect(fs.existsSync(path.join(path.dirname(schema), "../src/generated"))).toBe(false);
});
