import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it } from "vitest";
import {
  toModelsData,
  writeApiModule,
  writeDtosModule,
  writeModelsModule,
  writeSchemasModule,
} from "../src/generator/index.js";
import { readModels } from "../src/index.js";
import { readDataModel } from "./kinds-models.js";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));
const folder = path.join(packageFolder, "test/generated/cli");
const requireModule = createRequire(import.meta.url);

const shop = (provider: string, more = "") => `generator service {
  provider = "${provider}"
${more}}

datasource db {
  provider = "postgresql"
}

/// @hidden is for fields only.
model Shop {
  id    Int                   @id
  at    Unsupported("point")?
  items Item[]
}
`;
const item = `model Item {
  /// What the till reads.
  code   String @id @db.VarChar(20)
  shopId Int
  shop   Shop   @relation(fields: [shopId], references: [id])
}
`;

/** The built command. */
const run = path.join(packageFolder, "dist/generator/run.js");

function generate(schemaFolder: string): void {
  const prisma = path.join(path.dirname(requireModule.resolve("prisma/package.json")), "build/index.js");
  const env = { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" };
  execFileSync(process.execPath, [prisma, "generate", "--schema", schemaFolder], { cwd: folder, env, stdio: "pipe" });
}

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(path.join(folder, "prisma"), { recursive: true });
}, 60_000);

it("prisma generate writes src/generated/service/models.ts next to a schema of several files", {
  timeout: 300_000,
}, () => {
  const main = shop(`node ${run}`);
  writeFileSync(path.join(folder, "prisma/schema.prisma"), main);
  writeFileSync(path.join(folder, "prisma/item.prisma"), item);
  generate(path.join(folder, "prisma"));
  const written = readFileSync(path.join(folder, "src/generated/service/models.ts"), "utf8");
  const files = [
    ["item.prisma", item],
    ["schema.prisma", main],
  ] as const;
  expect(written).toBe(writeModelsModule(toModelsData(readDataModel(files), item + main)));
  expect(written).toContain('"kind":"unsupported","name":"at"');
  expect(readdirSync(path.join(folder, "src/generated/service"))).toEqual(["models.ts"]);

  const requested = '  schemas  = "zod"\n  dtos     = "class-lib"\n  api      = "types"\n';
  writeFileSync(path.join(folder, "prisma/schema.prisma"), shop(`node ${run}`, requested));
  generate(path.join(folder, "prisma"));
  const models = readModels(toModelsData(readDataModel(files), item + main));
  const read = (file: string) => readFileSync(path.join(folder, "src/generated/service", file), "utf8");
  expect(read("schemas.ts")).toBe(writeSchemasModule(models));
  expect(read("schemas.ts")).toContain("export const ItemCreate = z.strictObject({");
  expect(read("api.ts")).toBe(writeApiModule(models));
  expect(read("dtos.ts")).toBe(writeDtosModule(models));
  expect(read("dtos.ts")).toContain("export class UpdateItemDto {");
});

it.each(["cockroachdb", "sqlserver"])(
  "C77 prisma generate rejects %s in one line, and writes nothing",
  {
    timeout: 300_000,
  },
  (provider) => {
    const place = path.join(folder, provider);
    mkdirSync(place, { recursive: true });
    const schema = `generator service {\n  provider = ${JSON.stringify(`${process.execPath} ${run}`)}\n  output = "./out"\n}\n\ndatasource db {\n  provider = "${provider}"\n}\n\nmodel A {\n  id Int @id\n}\n`;
    writeFileSync(path.join(place, "schema.prisma"), schema);
    expect(() => generate(place)).toThrow(
      `servicekit supports PostgreSQL, MySQL, MariaDB and SQLite, and the datasource of the schema has the provider "${provider}"`,
    );
    expect(readdirSync(place)).toEqual(["schema.prisma"]);
  },
);
