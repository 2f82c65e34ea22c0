import path from "node:path";
import type { SchemaFile } from "./find-schema.js";
import { InitError } from "./init-error.js";
import type { PlannedChange } from "./plan.js";
import { blocksOf, type SchemaBlock } from "./schema-text.js";

/** The generator blocks of a project. */
export interface PlannedSchema {
  readonly change: PlannedChange | undefined;
  /** The module with Prisma's client, as an import of `src/main.ts`. */
  readonly clientModule: string;
  /** The module with the models of servicekit, as an import of `src/main.ts`. */
  readonly modelsModule: string;
  /** The folders that the added blocks write, relative to the project. */
  readonly outputs: readonly string[];
  /** Whether the database is an SQLite file. */
  readonly isSqlite: boolean;
  /** Whether only Prisma's command line runs all generators. */
  readonly needsPrisma: boolean;
}

const clientProviders = ["prisma-client", "prisma-client-js"];
const servedProviders = ["postgresql", "postgres", "sqlite"];
const ownProvider = "servicekit-prisma";

/** @throws {InitError} for another database than PostgreSQL and SQLite, and for a schema of Prisma 6 */
export function planSchema(files: readonly SchemaFile[]): PlannedSchema {
  const found = files.flatMap((file) => blocksOf(file.text).map((block) => ({ file, block })));
  for (const { file, block } of found) if (block.kind === "datasource") checkDatasource(file, block);
  const generators = found.filter(({ block }) => block.kind === "generator");
  const client = generators.find(({ block }) => clientProviders.includes(block.values.provider ?? ""));
  const own = generators.find(({ block }) => block.values.provider === ownProvider);
  const place = generators.at(-1) ?? found.at(-1);
  if (place === undefined) throw new InitError(`${files[0]?.place}: The schema has no datasource block.`);

  const names = new Set(generators.map(({ block }) => block.name));
  const nameOf = (usual: string, other: string): string => (names.has(usual) ? other : usual);
  const toSource = (folder: string): string => {
    const output = path.relative(path.dirname(place.file.place), path.join("src/generated", folder));
    return JSON.stringify(output.replaceAll("\\", "/"));
  };
  const clientValues = { provider: '"prisma-client"', output: toSource("prisma"), ...featuresOf(files) };
  const ownValues = { provider: `"${ownProvider}"`, output: toSource("service") };
  const blocks = [
    ...(client === undefined ? [blockText(nameOf("client", "prisma_client"), clientValues)] : []),
    ...(own === undefined ? [blockText(nameOf("service", "servicekit"), ownValues)] : []),
  ];
  return {
    change: blocks.length === 0 ? undefined : insertAfter(place, blocks),
    clientModule: client === undefined ? "./generated/prisma/client.js" : clientModuleOf(client.file, client.block),
    modelsModule: own === undefined ? "./generated/service/models.js" : `${outputOf(own.file, own.block)}/models.js`,
    outputs: [...(client ? [] : ["src/generated/prisma/"]), ...(own ? [] : ["src/generated/service/"])],
    isSqlite: found.some(({ block }) => block.kind === "datasource" && block.values.provider === "sqlite"),
    needsPrisma: generators.some(({ block }) => !["prisma-client", ownProvider].includes(block.values.provider ?? "")),
  };
}

function checkDatasource({ place }: SchemaFile, { values, lines }: SchemaBlock): void {
  const { provider = "" } = values;
  if (provider !== "" && !servedProviders.includes(provider)) {
    throw new InitError(
      `${place}:${lines.provider}: service init adds services to projects with PostgreSQL or SQLite only, and the datasource of the schema has the provider "${provider}".`,
    );
  }
  const old = ["url", "directUrl", "shadowDatabaseUrl"].find((name) => lines[name] !== undefined);
  if (old !== undefined) {
    throw new InitError(
      `${place}:${lines[old]}: servicekit requires Prisma 7, which has no "${old}" in the schema. Remove the line; the service reads DATABASE_URL.`,
    );
  }
}

function blockText(name: string, values: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(values).map((key) => key.length));
  const lines = Object.entries(values).map(([key, value]) => `  ${key.padEnd(width)} = ${value}`);
  return [`generator ${name} {`, ...lines, "}"].join("\n");
}

/** Introspection writes indexes of a part of the rows, which Prisma accepts only as a preview feature. */
const featuresOf = (files: readonly SchemaFile[]): Readonly<Record<string, string>> =>
  files.some(({ text }) => /\bwhere:\s*(?:raw\(|\{)/.test(text)) ? { previewFeatures: '["partialIndexes"]' } : {};

function insertAfter(
  { file, block }: { file: SchemaFile; block: SchemaBlock },
  blocks: readonly string[],
): PlannedChange {
  const { place, text } = file;
  const line = text.includes("\r\n") ? "\r\n" : "\n";
  const added = blocks.flatMap((one) => ["", ...one.split("\n")]);
  // A comment can follow the closing brace.
  const at = block.end + (/^[^\r\n]*/.exec(text.slice(block.end))?.[0].length ?? 0);
  return { place, added, text: text.slice(0, at) + added.map((one) => line + one).join("") + text.slice(at) };
}

/** The folder of a generator's output, as an import of `src/main.ts`. */
function outputOf({ place }: SchemaFile, { values }: SchemaBlock): string {
  const folder = path.join(path.dirname(place), values.output ?? "../src/generated/service");
  const relative = path.relative("src", folder).replaceAll("\\", "/");
  return relative.startsWith(".") ? relative : `./${relative}`;
}

function clientModuleOf(file: SchemaFile, block: SchemaBlock): string {
  const { provider, output } = block.values;
  if (provider === "prisma-client") return `${outputOf(file, block)}/client.js`;
  return output === undefined ? "@prisma/client" : `${outputOf(file, block)}/index.js`;
}
