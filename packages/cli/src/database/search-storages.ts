import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { findConfigFile } from "@servicekit/config-loader/internal";
import type { ExpressionIndex, GeneratedColumn } from "@servicekit/dev-database";
import { type SearchStorage, vectorLines } from "@servicekit/prisma/internal";
import { commandError } from "../command-error.js";
import { inspectedProgram, type ProjectFolder, type Variables } from "../project/project.js";

/** What the searches of the models need in the database. */
export interface SearchStorages {
  readonly indexes?: readonly ExpressionIndex[];
  readonly generatedColumns?: readonly GeneratedColumn[];
}

/**
 * What the searches in the configuration of the models need, which a program may set in its own code: a process of its own
 * assembles the service, as for `service models`.
 *
 * @returns nothing without a program, and with one that does not start; the reason is printed
 * @throws {CommandError} with the lines that the Prisma schema lacks
 */
export async function searchStorages({
  project: { root },
  environment,
}: {
  readonly project: ProjectFolder;
  readonly environment: Variables;
}): Promise<SearchStorages> {
  const hasProgram = inspectedProgram(root) !== undefined || (await findConfigFile(root, "service")) !== undefined;
  if (!hasProgram) return {};
  const storages = await readStorages(root, environment);
  if (storages === undefined) return {};
  return {
    indexes: storages.flatMap((storage) => (storage.kind === "index" ? [storage] : [])),
    generatedColumns: storages.flatMap((storage) => {
      if (storage.kind === "index") return [];
      const { column, model } = storage;
      if (column !== undefined) return [{ ...storage, column, type: "tsvector" }];
      throw commandError(
        "service migrate new",
        `The search of ${model} needs a column. Add these lines to the model ${model} in the Prisma schema, run \`service generate\`, and run the command again:\n\n  ${vectorLines.replaceAll("\n", "\n  ")}`,
      );
    }),
  };
}

async function readStorages(root: string, environment: Variables): Promise<readonly SearchStorage[] | undefined> {
  const [, bin = ""] = process.argv;
  try {
    const options = { cwd: root, env: { ...environment }, maxBuffer: 2 ** 26 };
    const { stdout } = await promisify(execFile)(process.execPath, [bin, "models", "--json"], options);
    const models = JSON.parse(stdout) as readonly { readonly search: { readonly storage: SearchStorage } | null }[];
    return models.flatMap(({ search }) => search?.storage ?? []);
  } catch (error) {
    const reason = (error as { readonly stderr?: string }).stderr?.trim() || String(error);
    console.error(`The searches of models were not compared, because the service does not start:\n${reason}\n`);
    return undefined;
  }
}
