import path from "node:path";
import { StartupError } from "@servicekit/core";
import { isMysqlUrl } from "@servicekit/core/internal";
import { CommandError } from "../command-error.js";
import { type AcquiredDatabase, acquireDatabase } from "../database/acquire-database.js";
import { applyExisting, bringToSchema, type ProposedMigration } from "../database/bring-to-schema.js";
import { runSeed, seedProgram } from "../database/run-seed.js";
import { needsSeed, recordSeed } from "../database/seeded-databases.js";
import { withProjectLock } from "../database/with-project-lock.js";
import { generateClient, place as generatePlace } from "../generate/generate-client.js";
import { environmentOf, findProject, type Project, sourceProgram } from "../project/project.js";
import { type AppProcess, type Listening, makeAppStarter } from "./app-process.js";
import { approveMigration } from "./approve-migration.js";
import { makeTypeChecker } from "./check-types.js";
import { type Keyboard, openKeyboard } from "./keyboard.js";
import { openBrowser } from "./open-browser.js";
import { makeScreen, type Screen } from "./screen.js";
import { type Change, watchFiles } from "./watch-files.js";

export interface DevelopOptions {
  /** Whether migrations that lose no data are applied without a prompt. */
  readonly yes: boolean;
  /** The program; by default that of `src`. */
  readonly entry?: string | undefined;
  /** Whether types are checked after each change. */
  readonly typeCheck: boolean;
  /** Arguments of the program. */
  readonly args: readonly string[];
  readonly directory?: string;
}

/**
 * Runs an application in development: its database, client, tables and the service, updated after each change. Runs
 * until the user ends it.
 *
 * @returns the exit code
 */
export async function develop({ yes, entry, typeCheck, args, directory }: DevelopOptions): Promise<number> {
  const project = await findProject(directory);
  const program = entry ?? sourceProgram(project.root);
  if (program === undefined) {
    throw new CommandError(
      `src/main.ts, the program that calls service.init, does not exist in ${project.root}. Use --entry <file>.`,
    );
  }
  const screen = makeScreen();
  let press = (_letter: string): void => {};
  const keyboard = openKeyboard((letter) => press(letter));
  const ended = untilEnded((end) => {
    press = (letter) => (letter === "q" ? end() : session.press(letter));
  });
  const session = makeSession(project, { program, args, yes, typeCheck, screen, keyboard });
  try {
    await Promise.race([session.run(), ended]);
    return 0;
  } finally {
    keyboard.close();
    await session.end();
  }
}

interface SessionOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly yes: boolean;
  readonly typeCheck: boolean;
  readonly screen: Screen;
  readonly keyboard: Keyboard;
}

interface Session {
  /** Never resolves; rejects if development is impossible. */
  run(): Promise<never>;
  press(letter: string): void;
  end(): Promise<void>;
}

function makeSession(project: Project, options: SessionOptions): Session {
  const { program, args, yes, typeCheck, screen, keyboard } = options;
  let database: AcquiredDatabase | undefined;
  let acquiring: Promise<AcquiredDatabase> | undefined;
  const starter = makeAppStarter(project.root);
  let hasTypeErrors = false;
  const types = typeCheck
    ? makeTypeChecker(project.root, (errors) => {
        if (errors !== "") screen.showFailure("Type errors", errors);
        else if (hasTypeErrors) screen.printStatus("No type errors.");
        hasTypeErrors = errors !== "";
      })
    : undefined;
  let app: AppProcess | undefined;
  let listening: Listening | undefined;
  let isEnded = false;
  /** Whether the seed may be missing: it fails while the configuration has an error. */
  let checksSeed = false;
  /** Whether all migrations were applied in this session. */
  let hasNewDatabase = false;
  let watcher: ReturnType<typeof watchFiles> | undefined;
  // Sequential: a change during an update is processed afterwards.
  let work: Promise<unknown> = Promise.resolve();
  let waiting: Change | undefined;

  const build = async (change: Change): Promise<void> => {
    const started = Date.now();
    if (isEnded) return;
    const isFirst = database === undefined;
    if (!isFirst) screen.clear();
    const notes: string[] = [];
    try {
      const environment = await environmentOf(project);
      if (isFirst) acquiring ??= acquireDatabase(project, environment, (line) => screen.printStatus(line));
      if (change.isSchemaChanged && project.schema !== undefined) {
        screen.printStatus("Reading the schema …");
        const bring = async (): Promise<void> => {
          // Both take seconds and are independent.
          const [made] = await Promise.all([generateClient(project), acquiring]);
          database = await acquiring;
          if (made) notes.push("Generated the client from the schema.");
          notes.push(...(await migrate()));
        };
        await withProjectLock(project, bring, (line) => screen.printStatus(line));
      }
      database ??= await acquiring;
      const variables = { ...environment, DATABASE_URL: database?.url ?? "" };
      const seed = async (): Promise<void> => {
        const url = database?.url ?? "";
        if (seedProgram(project) !== undefined && (await needsSeed(url, project, hasNewDatabase))) {
          const message = await runSeed(project, variables);
          await recordSeed(url, project);
          notes.push("Seeded the new database.", ...message.trim().split("\n").filter(Boolean));
        }
        checksSeed = false;
        hasNewDatabase = false;
      };
      if (checksSeed && !isEnded) await withProjectLock(project, seed, (line) => screen.printStatus(line));
      if (isEnded) return;
      await start(variables, { started, notes, files: change.files });
      // Afterwards, because it would delay the start.
      if (!isEnded) types?.check();
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof StartupError)) throw error;
      // Without a database there is nothing to wait for.
      if (database === undefined && !isErrorOf(error, generatePlace)) throw error;
      screen.showFailure("The schema or the code has an error", error.message);
    }
  };

  const migrate = async (): Promise<string[]> => {
    const url = database?.url ?? "";
    const isMysql = isMysqlUrl(url);
    const approve = (migration: ProposedMigration) => approveMigration(migration, { keyboard, screen, isYes: yes });
    const change = isMysql ? applyExisting(url, project) : bringToSchema(url, project, approve);
    const { applied, isNew, isDeclined, isUnmanaged, isCreated, edited } = await change;
    const notes = isCreated ? ["Created the missing database of DATABASE_URL."] : [];
    notes.push(...applied.map((name) => `Applied the migration ${name}.`));
    if (isMysql)
      notes.push(
        "The tables of MySQL are not compared with the schema. After a change run npx prisma migrate dev --create-only.",
      );
    const baseline = isMysql ? "npx prisma migrate resolve --applied" : "service migrate baseline";
    if (isUnmanaged) notes.push(`The database has tables and no migrations: it is used as it is. See ${baseline}.`);
    if (edited !== undefined) notes.push(`Wrote ${path.relative(process.cwd(), edited)}. Edit it, then press r.`);
    else if (isDeclined) notes.push("The migration was declined. The database does not match the schema.");
    checksSeed = true;
    hasNewDatabase ||= isNew && applied.length > 0;
    return notes;
  };

  const start = async (
    environment: Readonly<Record<string, string>>,
    {
      started,
      notes,
      files,
    }: { readonly started: number; readonly notes: readonly string[]; readonly files: readonly string[] },
  ): Promise<void> => {
    await app?.stop();
    listening = undefined;
    let message = "";
    await new Promise<void>((resolve) => {
      app = starter.start(
        { entry: program, args, environment },
        {
          onListening(found) {
            listening = found;
            const page = { name: project.name, database: database?.place ?? "none", listening: found, notes, files };
            screen.show({ ...page, tookMs: Date.now() - started });
            if (message !== "") screen.write(message);
            message = "";
            starter.prepare();
            resolve();
          },
          onOutput(text) {
            // Its output before it listens is printed below the page, or in it after a failure.
            if (listening === undefined) message += text;
            else screen.write(text);
          },
          onEnd(code) {
            const title = listening === undefined ? "The service does not start" : "The service has exited";
            screen.showFailure(`${title} (${code === null ? "by a signal" : `exit code ${code}`})`, message);
            listening = undefined;
            starter.prepare();
            resolve();
          },
        },
      );
    });
  };

  const plan = (change: Change): void => {
    const files = [...new Set([...(waiting?.files ?? []), ...change.files])].sort();
    const isPlanned = waiting !== undefined;
    waiting = { files, isSchemaChanged: (waiting?.isSchemaChanged ?? false) || change.isSchemaChanged };
    if (isPlanned) return;
    work = work.then(() => {
      const next = waiting ?? change;
      waiting = undefined;
      return build(next);
    });
    work.catch((error: unknown) => fail(error));
  };
  let fail: (error: unknown) => void = () => {};

  return {
    run: () =>
      new Promise<never>((_resolve, reject) => {
        fail = reject;
        starter.prepare();
        watcher = watchFiles(project, program, plan);
        plan({ files: [], isSchemaChanged: true });
      }),
    press(letter) {
      if (letter === "r") plan({ files: [], isSchemaChanged: true });
      if (letter === "o" && listening !== undefined && listening.documentation !== "off")
        openBrowser(listening.documentation);
    },
    async end() {
      isEnded = true;
      types?.close();
      await watcher?.close();
      await Promise.all([starter.close(), app?.stop()]);
      await (await acquiring?.catch(() => undefined))?.stop();
    },
  };
}

const isErrorOf = (error: Error, where: string): boolean => error.message.startsWith(`${where}:`);

/** Ends with a signal, a key, or the parent process. */
function untilEnded(listen: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
    // "npm run" does not stop its children when it is killed, so the change of the parent is checked.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && end(), 500).unref();
    listen(end);
  });
}
