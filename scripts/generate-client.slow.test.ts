import { execFile } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
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

it("writes the same client as the Prisma CLI", async () => {
  const [own, theirs] = [makeProject("own"), makeProject("cli")];
  await generateClient({ schema: own, packageFolder, generators: ["client"] });
  await promisify(execFile)(process.execPath, [cli, "generate", "--schema", theirs, "--generator", "client"], {
    cwd: path.dirname(theirs),
    // The CLI downloads an engine that generating does not use, unless one is configured.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" },
  });
  const written = readGenerated(own);
  expect(Object.keys(written)).toContain("prisma/client.ts");
  expect(written).toEqual(readGenerated(theirs));
});

it("writes the modules that the generator block of servicekit requests", async () => {
  const schema = makeProject("modules");
  await generateClient({ schema, packageFolder, generators: ["service"] });
  expect(Object.keys(readGenerated(schema))).toEqual(["service/api.ts", "service/models.ts"]);
});
