import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { makeSchema } from "../apps/integration/test/schemas/make-schema.js";
import { toModelsData, writeApiModule } from "../packages/prisma/src/generator/index.js";
import { readModels } from "../packages/prisma/src/index.js";
import { readDataModel } from "../packages/prisma/test/kinds-models.js";

const root = path.join(import.meta.dirname, "..");
const folder = path.join(root, "packages/client/test/generated");

it("C74 the queries of 81 models need fewer than 100,000 types, which takes about a second to check", () => {
  const schema = makeSchema(74, 81);
  const models = readModels(toModelsData(readDataModel([["schema.prisma", schema]]), schema));
  const api = writeApiModule(models);
  const names = [...api.matchAll(/^ {2}"?([\w-]+)"?: \{$/gm)].map(([, name = ""]) => name);
  expect(names).toHaveLength(81);
  const calls = names.map((name) => {
    const at = `shop[${JSON.stringify(name)}]`;
    const [, relation] =
      new RegExp(`^  "?${name}"?: \\{[^]*?    relations: \\{\\n(?:      (\\w+):)?`, "m").exec(api) ?? [];
    const include = relation === undefined ? "" : `, include: { ${relation}: true }`;
    return `void ${at}.list({ where: { OR: [{}] }, limit: 5${include} }).then(({ data }) => data.map((row) => ({ ...row })));`;
  });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, "api.ts"), api);
  const uses = [
    'import { makeClient } from "@servicekit/client";',
    'import type { Api } from "./api.js";',
    "const shop = makeClient<Api>();",
    ...calls,
  ];
  writeFileSync(path.join(folder, "uses.ts"), uses.join("\n"));
  const config = {
    extends: "../../../../tsconfig.test.json",
    compilerOptions: { types: ["node"] },
    include: ["uses.ts"],
    exclude: [],
  };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = path.join(root, "node_modules/typescript/bin/tsc");
  const text = execFileSync(process.execPath, [tsc, "-p", folder, "--extendedDiagnostics"], { encoding: "utf8" });
  const seconds = Number(/^Check time:\s+([\d.]+)s$/m.exec(text)?.[1]);
  const types = Number(/^Types:\s+(\d+)$/m.exec(text)?.[1]);
  console.log(`81 models: ${seconds} s to check, ${types} types`);
  // The same on every machine, unlike the time.
  expect(types).toBeLessThan(100_000);
});
