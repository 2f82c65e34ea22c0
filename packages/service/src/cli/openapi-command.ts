import { writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { StartError } from "@servicekit/errors";
import type { ServiceInitConfig } from "../config/service-config.js";
import { createService } from "../create-service.js";
import type { Environment, Surroundings } from "../settings.js";

/** How the command is called. */
export const openapiUsage = `Usage: service openapi --out <file>

Writes the OpenAPI 3.1 document of the service that service.config.* describes; <file> ends in .json, .yaml or .yml.
Nothing listens, and no database is needed.

An application that calls service.init in its own code is its own command:
  node dist/main.js openapi --out openapi.json`;

/** Whether the arguments of a program ask for a command in place of a start. */
export const isOpenApiCommand = ([command]: readonly string[]): boolean => command === "openapi";

/** What the command has to do, and for whom. */
export interface OpenApiCommand {
  readonly config: ServiceInitConfig;
  readonly surroundings: Surroundings;
  /** From `openapi` on. */
  readonly argv: readonly string[];
  /** Whether everything must stand in a file, for there is no code. */
  readonly needsFile: boolean;
}

/**
 * Puts a service together without listening and writes its document.
 *
 * @returns what is said of it
 * @throws {StartError} with everything that is wrong with the arguments, or with the service
 */
export async function runOpenApiCommand(command: OpenApiCommand): Promise<string> {
  const { config, surroundings, argv, needsFile } = command;
  const { out, help } = readArgv(argv.slice(1));
  if (help) return openapiUsage;
  const stringify = await formatOf(out);
  const { environment = process.env } = surroundings;
  const service = await createService(config, { ...surroundings, argv, environment: withoutSecrets(environment) });
  try {
    if (needsFile && service.config.file === undefined) throw fault(noFile);
    const document = await service.openapi();
    await write(path.resolve(out), stringify(document));
    return `${out} describes ${Object.keys(document.paths).length} paths.`;
  } finally {
    await service.close();
  }
}

const noFile =
  "There is no service.config.* in this folder. An application that calls service.init in its own code is its own command: node dist/main.js openapi --out openapi.json";

const fault = (message: string): StartError => new StartError([{ where: "service openapi", message }]);

function readArgv(args: readonly string[]): { readonly out: string; readonly help: boolean } {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { out: { type: "string" }, help: { type: "boolean", short: "h" }, port: { type: "string", short: "p" } },
    });
    const { out = "", help = false } = values;
    if (out === "" && !help) throw new Error("--out is missing. Expected a file, such as --out openapi.json.");
    return { out, help };
  } catch (error) {
    throw fault(error instanceof Error ? error.message : String(error));
  }
}

async function formatOf(out: string): Promise<(document: object) => string> {
  const { ext } = path.parse(out);
  if (ext === ".json") return (document) => `${JSON.stringify(document, null, 2)}\n`;
  if (ext !== ".yaml" && ext !== ".yml")
    throw fault(`--out ${out}: expected a name that ends in .json, .yaml or .yml.`);
  const { toYaml } = await import("@servicekit/openapi");
  return toYaml;
}

/** What a start needs and a document does not; nothing connects, and no token is made. */
function withoutSecrets(environment: Environment): Environment {
  const { DATABASE_URL: url, JWT_SECRET: secret } = environment;
  return {
    ...environment,
    DATABASE_URL: url || "postgresql://localhost/no-database-is-needed",
    JWT_SECRET: secret || "no token is made while a document is written",
  };
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: "its folder does not exist",
      EACCES: "this user may not write there",
      EISDIR: "it is a folder",
    };
    throw fault(`Cannot write ${file}: ${reasons[error.code ?? ""] ?? error.message}.`);
  });
}
