import path from "node:path";
import { parseArgs } from "node:util";
import { readEnvironment } from "@servicekit/config-loader";
import { StartError, whenMissing } from "@servicekit/errors";
import type { Surroundings } from "../settings.js";

/** How the command is called. */
export const migrateUsage = `Usage: service migrate deploy [--dir <folder>]

Applies the migrations that the database of DATABASE_URL does not have yet, from prisma/migrations or <folder>, as
"prisma migrate deploy" does: a step of a deploy, before the new instances start. Several at once are one: the others wait.
DATABASE_URL must lead to PostgreSQL itself, not to a pooler in front of it.`;

/** Whether the arguments of a program ask for this command. */
export const isMigrateCommand = ([command]: readonly string[]): boolean => command === "migrate";

/** Needed where migrations are applied: no embedded PostgreSQL comes with it. */
const packages = { names: ["@servicekit/dev-database"], purpose: "service migrate" };

/**
 * Brings the database to the last migration.
 *
 * @returns what is said of it
 * @throws {StartError} for arguments or a `DATABASE_URL` that are wrong, and with what the database said of a migration
 */
export async function runMigrateCommand(
  argv: readonly string[],
  { environment: real = process.env, directory = process.cwd() }: Surroundings,
  say: (line: string) => void,
): Promise<string> {
  const asked = readArgv(argv.slice(1));
  if (asked === "help") return migrateUsage;
  const { DATABASE_URL: url = "" } = await readEnvironment(directory, undefined, real);
  if (url === "") throw fault("DATABASE_URL is missing: which database?");
  const library = await import("@servicekit/dev-database").catch(whenMissing("service migrate deploy", packages));
  try {
    const applied = await library.applyMigrations(url, path.resolve(directory, asked.dir), { log: say });
    return applied.length === 0 ? "The database is up to date." : `Applied ${applied.length} migrations.`;
  } catch (error) {
    if (error instanceof library.MigrationError || error instanceof TypeError) throw fault(error.message);
    throw error;
  }
}

const fault = (message: string): StartError => new StartError([{ where: "service migrate deploy", message }]);

function readArgv(args: readonly string[]): { readonly dir: string } | "help" {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { dir: { type: "string" }, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    if (values.help) return "help";
    if (positionals.join(" ") !== "deploy") throw new Error(`Expected service migrate deploy.\n\n${migrateUsage}`);
    return { dir: values.dir ?? "prisma/migrations" };
  } catch (error) {
    throw fault(error instanceof Error ? error.message : String(error));
  }
}
