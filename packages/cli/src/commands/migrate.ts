import fs from "node:fs";
import path from "node:path";
import type { SchemaSource } from "@servicekit/dev-database";
import type { Command } from "commander";
import { commandError } from "../command-error.js";
import { type AcquiredDatabase, acquireDatabase, writableUrl } from "../database/acquire-database.js";
import { requireEdited } from "../database/bring-to-schema.js";
import { type DatabaseLibrary, loadDatabaseLibrary } from "../database/library.js";
import { emptyMigration, prepareEdit } from "../database/prepare-edit.js";
import { runSeed, seedProgram } from "../database/run-seed.js";
import { type SearchStorages, searchStorages } from "../database/search-storages.js";
import { recordSeed } from "../database/seeded-databases.js";
import { withProjectLock } from "../database/with-project-lock.js";
import { providerOf } from "../generate/provider-of.js";
import { addHelp } from "../help.js";
import { environmentOf, findProject, type Project, type Variables } from "../project/project.js";
import { confirm } from "../terminal/confirm.js";
import { reserveOutput } from "../terminal/reserve-output.js";

interface Options {
  readonly dir?: string;
}

/** `service migrate …`: Prisma's migrations, with Prisma's files and table. */
export function addMigrate(program: Command): void {
  const migrate = program
    .command("migrate")
    .description("manage migrations, with the files and the table of Prisma Migrate");
  addHelp(migrate.command("deploy"), {
    notes:
      "Run it before the new instances start. Concurrent runs are safe: one applies the migrations, the others wait.",
    examples: ["service migrate deploy", "service migrate deploy --dir db/migrations"],
  })
    .description("apply pending migrations to the database of DATABASE_URL")
    .option("--dir <folder>", "folder of the migrations; default: prisma/migrations")
    .action(async ({ dir }: Options) => {
      const project = await findProject();
      const { DATABASE_URL: url = "" } = await environmentOf(project);
      if (url === "")
        throw commandError(
          "service migrate deploy",
          "DATABASE_URL is not set. The embedded database receives its migrations when service dev starts.",
        );
      const folder = dir === undefined ? project.migrations : path.resolve(dir);
      requireEdited(folder, "run npx service migrate deploy again");
      const server = await writableUrl(url);
      const applied = await call((library) => library.applyMigrations(server, folder, { log: console.log }));
      console.log(describeApplied(applied.length));
    });

  addHelp(migrate.command("new"), {
    notes:
      "It compares the schema with the database, and applies pending migrations to it first: use a database of development.",
    examples: [
      "service migrate new --name add-author",
      "service migrate new --name add-note && service migrate deploy",
      "service migrate new --name fill-note --empty",
    ],
  })
    .description("write a migration with the changes of the schema and of searches, without applying it")
    .requiredOption("--name <words>", "name of the migration, such as add-author-to-post")
    .option("--empty", "write no changes, for statements of your own such as partial indexes and triggers")
    .action(({ name, empty = false }: { name: string; empty?: boolean }) =>
      empty
        ? writeEmptyMigration(name)
        : onDatabase(async (target) => {
            const storages = await searchStorages(target);
            await withProjectLock(target.project, () => writeMigration(target, name, storages));
          }),
    );

  addHelp(migrate.command("baseline"), {
    notes: `For a database that was created without migrations. Its tables must match the schema. Other databases apply the migration with
service migrate deploy.`,
    examples: ["service introspect && service migrate baseline"],
  })
    .description("write a first migration with the complete schema, and record it as applied without running it")
    .action(() =>
      onDatabase(async ({ project, url }) => {
        const options = { url, schema: sourceOf(project), directory: project.migrations };
        const file = await withProjectLock(project, () => call((library) => library.baselineDatabase(options)));
        console.log(`Wrote ${path.relative(process.cwd(), file)} and recorded it as applied.`);
      }),
    );

  addHelp(migrate.command("status"), {
    failure: "a migration is pending, failed, edited or missing; or an error",
    examples: ["service migrate status", "service migrate status --json"],
  })
    .description("compare the database with the migrations")
    .option("--json", "print JSON")
    .action(({ json = false }: { json?: boolean }) => {
      // prisma.config.ts may print.
      const output = reserveOutput();
      return onDatabase(async ({ project, url }) => {
        const status = await call((library) => library.migrationStatus(url, project.migrations));
        const { applied, ...open } = status;
        const isWhole = Object.values(open).every((names) => names.length === 0);
        process.exitCode = isWhole ? 0 : 1;
        if (json) return output.write(`${JSON.stringify(status, null, 2)}\n`);
        output.write(`${applied.length} applied\n`);
        for (const [what, names] of Object.entries(open))
          for (const name of names) output.write(`${what.padEnd(8)} ${name}\n`);
      });
    });

  addHelp(migrate.command("reset"), {
    notes: "It does not run with NODE_ENV=production.",
    examples: ["service migrate reset", "service migrate reset --yes --no-seed"],
  })
    .description("drop everything in a development database, apply all migrations and seed it")
    .option("-y, --yes", "do not prompt for confirmation")
    .option("--no-seed", "do not run src/seed.ts")
    .action(({ yes = false, seed }: { yes?: boolean; seed: boolean }) =>
      onDatabase(async ({ project, url, database, environment }) => {
        if (environment.NODE_ENV === "production")
          throw commandError("service migrate reset", "is not allowed in production.");
        const question = `This deletes all data in ${database.place}. Continue?`;
        if (!yes && !(await confirm(question)))
          throw commandError("service migrate reset", "Nothing was done. Use --yes to skip the prompt.");
        const reset = (library: DatabaseLibrary) =>
          library.resetDatabase(url, project.migrations, { log: console.log });
        const applied = await withProjectLock(project, () => call(reset));
        if (seed && seedProgram(project) !== undefined)
          console.log((await runSeed(project, { ...environment, DATABASE_URL: url })).trim());
        await recordSeed(url, project);
        console.log(`Reset the database and applied ${applied.length} migrations.`);
      }),
    );
}

/** Creates a migration from the changes of the schema, and prints it. */
export async function writeMigration(
  { project, url }: Target,
  name: string,
  storages: SearchStorages = {},
): Promise<void> {
  const options = { url, schema: sourceOf(project), directory: project.migrations, name, ...storages };
  const made = await call((library) => library.createMigration(options));
  if (made.status === "unchanged") return console.log("The migrations match the schema. No migration was created.");
  // It would lose values, or fails with the existing rows.
  const mustBeEdited = made.warnings.length > 0;
  const sql = mustBeEdited ? prepareEdit(made.editableSql, url) : made.sql;
  if (mustBeEdited) fs.writeFileSync(made.file, sql);
  console.log(`${sql.trim()}\n`);
  for (const warning of made.warnings) console.log(`! ${warning}`);
  const next = mustBeEdited ? "Edit it and remove its first line, then apply it" : "Apply it";
  console.log(`Wrote ${path.relative(process.cwd(), made.file)}. ${next} with service migrate deploy, or service dev.`);
}

async function writeEmptyMigration(name: string): Promise<void> {
  const project = await findProject();
  const provider = providerOf(project);
  if (provider === undefined) throw commandError("prisma/schema.prisma", "There is no Prisma schema in this folder.");
  const { migrations: directory } = project;
  const options = { provider, directory, name, sql: emptyMigration(provider) };
  const { file } = await withProjectLock(project, () => call(async (library) => library.writeMigrationFile(options)));
  console.log(
    `Wrote ${path.relative(process.cwd(), file)}. Replace its lines by your statements, then apply it with service migrate deploy, or service dev.`,
  );
}

function sourceOf({ schema }: Project): SchemaSource {
  if (schema === undefined) throw commandError("prisma/schema.prisma", "There is no Prisma schema in this folder.");
  return fs.statSync(schema).isDirectory() ? { directory: schema } : fs.readFileSync(schema, "utf8");
}

/** The context of a command with a database. */
export interface Target {
  readonly project: Project;
  readonly environment: Variables;
  readonly database: AcquiredDatabase;
  readonly url: string;
}

/** Uses the database of `DATABASE_URL`, or the embedded development database. */
export async function onDatabase(work: (target: Target) => Promise<void>): Promise<void> {
  const project = await findProject();
  if (project.schema === undefined && !fs.existsSync(project.migrations))
    throw commandError(
      "service migrate",
      `${project.root} has no Prisma schema. Run the command in a project's folder.`,
    );
  const environment = await environmentOf(project);
  const database = await acquireDatabase(project, environment, (line) => console.error(line));
  try {
    await work({ project, environment, database, url: database.url });
  } finally {
    await database.stop();
  }
}

/** Errors of the library are printed without a stack. */
async function call<Result>(work: (library: DatabaseLibrary) => Promise<Result>): Promise<Result> {
  const library = await loadDatabaseLibrary("service migrate");
  try {
    return await work(library);
  } catch (error) {
    if (error instanceof library.MigrationError || error instanceof TypeError)
      throw commandError("service migrate", error.message);
    throw error;
  }
}

const describeApplied = (applied: number): string =>
  applied === 0 ? "The database is up to date." : `Applied ${applied} migration${applied === 1 ? "" : "s"}.`;
