import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import type { Generator, GeneratorConfig, GeneratorOptions } from "@prisma/generator-helper";
import parser from "@prisma/prisma-schema-wasm";
import { generate, manifest } from "./generator.js";

/** The options of {@link runGenerators}. */
export interface RunGeneratorsOptions {
  /** A schema file, or a folder of schema files. */
  readonly schema: string;
  /** The installed version of `@prisma/client`. @default the one that the generator writes for */
  readonly clientVersion?: string | undefined;
  /** Prisma's generator of the provider `prisma-client`. @default {@link clientGenerator} */
  readonly client?: Generator;
  /** The names of the generator blocks to run. @default all */
  readonly generators?: readonly string[];
}

/** Only Prisma's command line can generate this client. */
export class PrismaCliRequiredError extends Error {
  override readonly name = "PrismaCliRequiredError";
}

/** The Prisma schema is invalid; the message is Prisma's. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

interface SchemaConfig {
  readonly config: {
    readonly generators: readonly GeneratorConfig[];
    readonly datasources: GeneratorOptions["datasources"];
  };
}

const own: Generator = { name: "servicekit-prisma", getManifest: async () => manifest, generate };

/**
 * Prisma's generator of the provider `prisma-client`, which scripts/bundle-client-generator.mjs writes into `dist`.
 * Its manifest contains the version of `@prisma/client` for which it writes.
 */
export function clientGenerator(): Generator {
  const require = createRequire(import.meta.url);
  const folder = path.dirname(require.resolve("@servicekit/prisma/package.json"));
  const { PrismaClientTsGenerator } = require(path.join(folder, "dist", "client-generator.cjs")) as {
    PrismaClientTsGenerator: new () => Generator;
  };
  return new PrismaClientTsGenerator();
}

/**
 * Runs the generator blocks of a schema in this process, with the result of `prisma generate`: those of the providers
 * `prisma-client` and `servicekit-prisma`.
 *
 * @throws {PrismaCliRequiredError} for a block of another provider, and for another version of `@prisma/client`; nothing
 * is written then
 * @throws {SchemaError} for an invalid schema
 */
export async function runGenerators({
  schema,
  clientVersion,
  client,
  generators,
}: RunGeneratorsOptions): Promise<void> {
  const isFolder = fs.statSync(schema).isDirectory();
  const files = (isFolder ? filesIn(schema) : [schema]).map((file) => [file, fs.readFileSync(file, "utf8")] as const);
  const dmmf = parse<GeneratorOptions["dmmf"]>(() =>
    parser.get_dmmf(JSON.stringify({ prismaSchema: files, noColor: true })),
  );
  const { config } = parse<SchemaConfig>(() => parser.get_config(JSON.stringify({ prismaSchema: files })));
  const blocks = config.generators.filter(({ name }) => generators?.includes(name) ?? true);
  const prepared = await Promise.all(blocks.map((block) => prepare(block, client, clientVersion)));
  const datamodel = parser.merge_schemas(JSON.stringify({ schema: files }));
  for (const { block, generator, version } of prepared) {
    await generator.generate({
      generator: block,
      otherGenerators: config.generators.filter(({ name }) => name !== block.name),
      schemaPath: schema,
      dmmf,
      datasources: config.datasources,
      datamodel,
      version,
    });
  }
}

/** The generator of a block, and the block with its output folder as an absolute path. */
async function prepare(
  block: GeneratorConfig,
  client: Generator | undefined,
  clientVersion: string | undefined,
): Promise<{ readonly block: GeneratorConfig; readonly generator: Generator; readonly version: string }> {
  const provider = block.provider.value ?? "";
  if (provider !== own.name && provider !== "prisma-client") {
    throw new PrismaCliRequiredError(`Only Prisma's command line runs the generator "${provider}" of the schema.`);
  }
  const generator = provider === own.name ? own : (client ?? clientGenerator());
  const { version, defaultOutput = "", requiresEngineVersion = "" } = await generator.getManifest(block);
  if (version !== undefined && clientVersion !== undefined && version !== clientVersion) {
    const message = `@prisma/client is ${clientVersion}, and this version of servicekit generates for ${version}: another version requires the command line of Prisma.`;
    throw new PrismaCliRequiredError(message);
  }
  const value = path.resolve(path.dirname(block.sourceFilePath), block.output?.value ?? defaultOutput);
  const resolved = { ...block, output: { value, fromEnvVar: null }, isCustomOutput: block.output !== null };
  return { block: resolved, generator, version: requiresEngineVersion };
}

function filesIn(folder: string): string[] {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".prisma"));
  return names.sort().map((name) => path.join(folder, name));
}

/** Calls Prisma's parser, whose results and errors are JSON. */
function parse<Result>(call: () => string): Result {
  try {
    return JSON.parse(call()) as Result;
  } catch (error) {
    throw new SchemaError(messageOf(error));
  }
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  try {
    return (JSON.parse(text) as { message: string }).message;
  } catch {
    return text;
  }
}
