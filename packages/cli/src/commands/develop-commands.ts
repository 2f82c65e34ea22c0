import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { buildProject } from "../build/build-project.js";
import { startBuilt } from "../build/start-built.js";
import { commandError } from "../command-error.js";
import { acquireDatabase } from "../database/acquire-database.js";
import { runSeed } from "../database/run-seed.js";
import { recordSeed } from "../database/seeded-databases.js";
import { withProjectLock } from "../database/with-project-lock.js";
import { develop } from "../dev/develop.js";
import { generateClient } from "../generate/generate-client.js";
import { addHelp } from "../help.js";
import { environmentOf, findProject, findProjectFolder, type Project } from "../project/project.js";
import { type AuthModelOperation, authModels, isAuthModelOperation, writeAuthModel } from "../scaffold/auth-models.js";
import { isOwnModel, ownModels, writeOwnModel } from "../scaffold/own-models.js";
import { scaffoldJob } from "../scaffold/scaffold-job.js";
import { findModel, scaffoldModule, scaffolds } from "../scaffold/scaffold-module.js";
import { onDatabase, writeMigration } from "./migrate.js";

interface DevOptions {
  readonly port?: string;
  readonly yes?: boolean;
  readonly entry?: string;
  readonly typeCheck: boolean;
}

function readPort(text: string): string {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return text;
  throw new InvalidArgumentError("Expected a number from 0 to 65535.");
}

function readWorkers(text: string): string {
  if (text === "auto" || (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= 256)) return text;
  throw new InvalidArgumentError('Expected a number from 1 to 256, or "auto".');
}

/** Adds the commands `dev`, `build`, `start`, `seed` and `generate`. */
export function addDevelopCommands(program: Command): void {
  addHelp(program.command("dev"), {
    notes: `Without DATABASE_URL the command starts an embedded PostgreSQL with its data in .data/postgres, or uses the file .data/dev.db if
the schema has the provider sqlite. After a change of the schema it shows the migration and prompts for confirmation. Without a terminal
it applies migrations that lose no data and stops at all others.

After each start it checks the types with the TypeScript of the project and prints the errors.

Keys: r restarts, o opens the documentation, q quits.`,
    examples: [
      "service dev",
      "service dev --port 3000 --yes",
      "DATABASE_URL=postgresql://me@localhost/shop service dev",
    ],
  })
    .description("run the service from its sources with a database, and restart it after each change")
    .option("-p, --port <port>", "port to listen on", readPort)
    .option("-y, --yes", "apply migrations that lose no data without confirmation")
    .option("--entry <file>", "program that calls service.init; default: src/main.ts")
    .option("--no-type-check", "do not check the types after each change")
    .action(async ({ port, yes = false, entry, typeCheck }: DevOptions) => {
      process.exitCode = await develop({ yes, entry, typeCheck, args: port === undefined ? [] : ["--port", port] });
    });

  addHelp(program.command("build"), {
    examples: ["service build && node dist/main.js", "service build --bundle && node dist/bundle/main.js"],
  })
    .description("generate the client, check the types, and compile src to dist")
    .option(
      "-b, --bundle",
      "bundle the program and its packages into few files, which reduces the CPU time of a start by a third (rolldown)",
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

  addHelp(program.command("start"), {
    notes:
      "Outside production and without DATABASE_URL it uses the database of service dev. It exits with the code of the program.",
    examples: [
      "service start",
      "service start --workers auto",
      "NODE_ENV=production DATABASE_URL=… service start --port 8080",
    ],
  })
    .description("run the built service, as node dist/main.js does")
    .option("-p, --port <port>", "port to listen on", readPort)
    .option("-w, --workers <count>", "number of worker processes, or auto for one per processor", readWorkers)
    .action(({ port, workers }: { port?: string; workers?: string }) =>
      startBuilt([
        ...(port === undefined ? [] : ["--port", port]),
        ...(workers === undefined ? [] : ["--workers", workers]),
      ]),
    );

  addHelp(program.command("worker"), {
    notes: `It needs no port. Set jobs.run to "worker", so that the other processes do not run jobs too. Without this command, start the
program with SERVICEKIT_ROLE=worker.`,
    examples: ["service worker", "NODE_ENV=production DATABASE_URL=… service worker", "service worker --workers 2"],
  })
    .description("run the jobs and subscribers of the built service, without listening")
    .option("-w, --workers <count>", "number of worker processes, or auto for one per processor", readWorkers)
    .action(({ workers }: { workers?: string }) => {
      process.env.SERVICEKIT_ROLE = "worker";
      return startBuilt(workers === undefined ? [] : ["--workers", workers]);
    });

  addHelp(program.command("seed"), { examples: ["service seed", "DATABASE_URL=… service seed"] })
    .description("run src/seed.ts with the database and the variables of .env")
    .action(async () => {
      const project = findProjectFolder();
      const environment = await environmentOf(project);
      const database = await acquireDatabase(project, environment, console.log);
      try {
        process.stdout.write(await runSeed(project, { ...environment, DATABASE_URL: database.url }));
        await recordSeed(database.url, project);
      } finally {
        await database.stop();
      }
    });

  addHelp(program.command("generate [what] [name]"), {
    notes: `<what> is one file of the module of a model: module (access rules and hooks), router, hooks, schemas (Zod) or dtos
(class-validator). job writes src/jobs/<name>.job.ts and its test. Existing files are not changed. sessions, keys, changes, change-position and webhooks add the models AuthSession,
AuthKey, Change, ChangePosition, and Webhook with WebhookDelivery to the schema and write their migrations.`,
    examples: [
      "service generate",
      "service generate module Post",
      "service generate schemas Post",
      "service generate job welcome-mail",
      "service generate sessions",
      "service generate keys",
      "service generate changes",
      "service generate change-position",
      "service generate webhooks",
    ],
  })
    .description(
      "generate the Prisma client and the models of the service if the schema has changed; with arguments, create files of a module or a job",
    )
    .option("-f, --force", "generate the client even if the schema has not changed")
    .action(async (what: string | undefined, name: string | undefined, { force = false }: { force?: boolean }) => {
      const project = await findProject();
      if (what === undefined) {
        const made = await generateClient(project, force);
        return console.log(made ? "Generated the client from the schema." : "The client is up to date.");
      }
      if (isAuthModelOperation(what)) return generateAuthModel(project, what);
      if (isOwnModel(what)) {
        const own = ownModels[what];
        return generateModel(project, { ...own, write: () => writeOwnModel(project, own) });
      }
      const print = (files: readonly string[]): void => {
        for (const file of files) console.log(`Wrote ${path.relative(process.cwd(), file)}`);
      };
      if (what === "job") {
        if (name === undefined)
          throw commandError("service generate", "The name is missing. Example: npx service generate job welcome-mail");
        return print(scaffoldJob(project, name));
      }
      const scaffold = scaffolds.find((one) => one === what);
      const words = [...scaffolds, "job", ...Object.keys(authModels), ...Object.keys(ownModels)];
      if (scaffold === undefined)
        throw commandError("service generate", `Unknown kind ${what}. Expected one of ${words.join(", ")}.`);
      if (name === undefined)
        throw commandError("service generate", `The model is missing. Example: npx service generate ${what} Post`);
      print(await scaffoldModule(project, scaffold, name));
    });
}

/** A model of authentication: in the schema, in the client, and as a migration. */
async function generateAuthModel(project: Project, word: AuthModelOperation): Promise<void> {
  const user = await findModel(project, "User");
  const write = (): string => writeAuthModel(project, word, user);
  await generateModel(project, { name: authModels[word], write, migration: `add_auth_${word}` });
}

interface AddedModel {
  readonly name: string;
  readonly migration: string;
  /** Adds it to the schema and returns the changed file. */
  readonly write: () => string;
}

/** A new model: in the schema, in the client, and as a migration, before `service dev` writes one of its own. */
function generateModel(project: Project, { name, migration, write }: AddedModel): Promise<void> {
  return withProjectLock(project, async () => {
    console.log(`Added the model ${name} to ${path.relative(process.cwd(), write())}.`);
    await generateClient(project);
    await onDatabase((target) => writeMigration(target, migration));
  });
}
