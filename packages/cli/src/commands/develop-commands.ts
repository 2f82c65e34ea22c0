import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { buildProject } from "../build/build-project.js";
import { startBuilt } from "../build/start-built.js";
import { fault } from "../command-error.js";
import { acquireDatabase } from "../database/acquire-database.js";
import { runSeed } from "../database/run-seed.js";
import { develop } from "../dev/develop.js";
import { generateClient } from "../generate/generate-client.js";
import { environmentOf, findProject, findProjectFolder, type Project } from "../project/project.js";
import { type AuthModelWord, authModels, isAuthModelWord, writeAuthModel } from "../scaffold/auth-models.js";
import { findModel, scaffoldModule, scaffolds } from "../scaffold/scaffold-module.js";
import { onDatabase, writeMigration } from "./migrate.js";

function readPort(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError("Expected a number from 0 to 65535.");
}

function readWorkers(text: string): string {
  if (text === "auto" || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 256)) return text;
  throw new InvalidArgumentError('Expected a number from 1 to 256, or "auto".');
}

/** The commands of everyday work: `dev`, `build`, `start`, `seed` and `generate`. */
export function addDevelopCommands(program: Command): void {
  program
    .command("dev")
    .description("run the service as it is in its sources, with a database and its tables, again after each change")
    .option("-p, --port <port>", "where it listens", readPort)
    .option("-y, --yes", "apply migrations that lose nothing without asking")
    .option("--entry <file>", "the program that calls service.init (src/main.ts)")
    .addHelpText(
      "after",
      `
Without DATABASE_URL it starts a PostgreSQL of its own, whose data are in .data/postgres. After a change of the schema it
shows the migration and asks; without a terminal it applies what loses nothing, and stops before anything else.

Keys: r restart, o open the documentation, q quit.

Examples:
  service dev
  service dev --port 3000 --yes
  DATABASE_URL=postgresql://me@localhost/shop service dev`,
    )
    .action(async ({ port, yes = false, entry }: { port?: string; yes?: boolean; entry?: string }) => {
      process.exitCode = await develop({ yes, entry, args: port === undefined ? [] : ["--port", port] });
    });

  program
    .command("build")
    .description("generate the client, check the types, and compile src to dist")
    .option(
      "-b, --bundle",
      "join the program and its packages to few files, which start in half of the time (rolldown)",
    )
    .addHelpText(
      "after",
      `
Examples:
  service build && node dist/main.js
  service build --bundle && node dist/bundle/main.js`,
    )
    .action(async ({ bundle = false }: { bundle?: boolean }) => {
      const started = Date.now();
      const project = await findProject();
      await buildProject(project);
      if (bundle) {
        const { bundleProgram } = await import("../build/bundle-program.js");
        await bundleProgram(project.root);
      }
      console.log(`Built dist in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
    });

  program
    .command("start")
    .description(
      "run what was built, as node dist/main.js does; with the database of development where there is no other",
    )
    .option("-p, --port <port>", "where it listens", readPort)
    .option(
      "-w, --workers <count>",
      "how many processes serve: a number, or auto for one of each processor",
      readWorkers,
    )
    .addHelpText(
      "after",
      `
Examples:
  service start
  service start --workers auto
  NODE_ENV=production DATABASE_URL=… service start --port 8080`,
    )
    .action(({ port, workers }: { port?: string; workers?: string }) =>
      startBuilt([
        ...(port === undefined ? [] : ["--port", port]),
        ...(workers === undefined ? [] : ["--workers", workers]),
      ]),
    );

  program
    .command("seed")
    .description("run src/seed.ts, with the database and the variables of .env")
    .addHelpText("after", "\nExamples:\n  service seed\n  DATABASE_URL=… service seed")
    .action(async () => {
      const project = findProjectFolder();
      const environment = await environmentOf(project);
      const database = await acquireDatabase(project, environment, console.log);
      try {
        process.stdout.write(await runSeed(project, { ...environment, DATABASE_URL: database.url }));
      } finally {
        await database.stop();
      }
    });

  program
    .command("generate [what] [model]")
    .description(
      "write the Prisma client and the models of the service from the schema, where it has changed; or begin files of a model's module",
    )
    .option("-f, --force", "write the client in any case")
    .addHelpText(
      "after",
      `
What can be begun: module (rights and hooks), router, hooks, schemas (Zod), dtos (class-validator). A file that is there is
left as it is. sessions and keys write the models AuthSession and AuthKey into the schema, with
their migrations.

Examples:
  service generate
  service generate module Post
  service generate schemas Post
  service generate sessions
  service generate keys`,
    )
    .action(async (what: string | undefined, model: string | undefined, { force = false }: { force?: boolean }) => {
      const project = await findProject();
      if (what === undefined) {
        const made = await generateClient(project, force);
        return console.log(
          made ? "Generated the client from the schema." : "The client is that of the schema already.",
        );
      }
      if (isAuthModelWord(what)) return generateAuthModel(project, what);
      const scaffold = scaffolds.find((one) => one === what);
      const words = [...scaffolds, ...Object.keys(authModels)];
      if (scaffold === undefined)
        throw fault("service generate", `There is no ${what} to begin; there is ${words.join(", ")}.`);
      if (model === undefined) throw fault("service generate", `Of which model? service generate ${what} Post`);
      for (const file of await scaffoldModule(project, scaffold, model))
        console.log(`Wrote ${path.relative(process.cwd(), file)}`);
    });
}

/** A model of authentication: in the schema, in the client, and as a migration. */
async function generateAuthModel(project: Project, word: AuthModelWord): Promise<void> {
  const file = writeAuthModel(project, word, await findModel(project, "User"));
  console.log(`Wrote the model ${authModels[word]} into ${path.relative(process.cwd(), file)}.`);
  await generateClient(project);
  await onDatabase((target) => writeMigration(target, `add_auth_${word}`));
}
