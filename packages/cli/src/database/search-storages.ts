import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findConfigFile } from "@servicekit/config-loader/internal";
import type { ExpressionIndex, GeneratedColumn } from "@servicekit/dev-database";
import { type SearchStorage, vectorLines } from "@servicekit/prisma/internal";
import { commandError } from "../command-error.js";
import { providerOf } from "../generate/provider-of.js";
import { inspectedProgram, type Project, type Variables } from "../project/project.js";

/** What the searches of the models need in the database. */
export interface SearchStorages {
  readonly indexes?: readonly ExpressionIndex[];
  readonly generatedColumns?: readonly GeneratedColumn[];
}

/**
 * What the searches in the configuration of the models need, which a program may set in its own code: a process of its own
 * assembles the service, as for `service models`.
 *
 * @returns nothing without a program, and for MySQL and SQLite, whose searches need nothing
 * @throws {CommandError} with the lines that the Prisma schema lacks, and if the service does not start
 */
export async function searchStorages({
  project,
  environment,
}: {
  readonly project: Project;
  readonly environment: Variables;
}): Promise<SearchStorages> {
  const { root } = project;
  if (providerOf(project) !== "postgresql") return {};
  const hasProgram = inspectedProgram(root) !== undefined || (await findConfigFile(root, "service")) !== undefined;
  if (!hasProgram) return {};
  const storages = await readStorages(root, environment);
  return {
    indexes: storages.flatMap((storage) => (storage.kind === "index" ? [storage] : [])),
    generatedColumns: storages.flatMap((storage) => {
      if (storage.kind === "index") return [];
      const { column, model } = storage;
      if (column !== undefined) return [{ ...storage, column, type: "tsvector" }];
      throw commandError(
        "service migrate new",
        `The search of ${model} needs a column. Add these lines to the model ${model} in the Prisma schema, run \`npx service generate\`, and run the command again:\n\n  ${vectorLines.replaceAll("\n", "\n  ")}`,
      );
    }),
  };
}

async function readStorages(root: string, environment: Variables): Promise<readonly SearchStorage[]> {
  const [, bin = ""] = process.argv;
  try {
    const options = { cwd: root, env: { ...environment }, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(process.execPath, [bin, "models", "--json"], options);
    const models = JSON.parse(stdout) as readonly { readonly search: { readonly storage: SearchStorage } | null }[];
    return models.flatMap(({ search }) => search?.storage ?? []);
  } catch (error) {
    const reason = (error as { readonly stderr?: string }).stderr?.trim() || String(error);
    throw commandError(
      "service migrate new",
      `No migration was written. The searches of the models cannot be compared, because the service does not start:\n${reason}`,
    );
  }
}
