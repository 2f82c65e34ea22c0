import { StartError } from "@servicekit/core";
import { CommandError } from "../command-error.js";
import { type AcquiredDatabase, acquireDatabase } from "../database/acquire-database.js";
import { bringToSchema } from "../database/bring-to-schema.js";
import { runSeed, seedProgram } from "../database/run-seed.js";
import { generateClient } from "../generate/generate-client.js";
import { environmentOf, findProject, type Project, sourceProgram } from "../project/project.js";
import { type AppProcess, type Listening, makeAppStarter } from "./app-process.js";
import { approveMigration } from "./approve-migration.js";
import { type Keyboard, openKeyboard } from "./keyboard.js";
import { openBrowser } from "./open-browser.js";
import { makeScreen, type Screen } from "./screen.js";
import { type Change, watchFiles } from "./watch-files.js";

export interface DevelopOptions {
  /** Whether migrations that lose nothing are applied without a question. */
  readonly yes: boolean;
  /** The program; by default that of `src`. */
  readonly entry?: string | undefined;
  /** Arguments of the program. */
  readonly args: readonly string[];
  readonly directory?: string;
}

/**
 * Develops an application: its database, its client, its tables and the service itself, all again whenever something
 * changes. Goes on until somebody ends it.
 *
 * @returns what the program ends with
 */
export async function develop({ yes, entry, args, directory }: DevelopOptions): Promise<number> {
  const project = await findProject(directory);
  const program = entry ?? sourceProgram(project.root);
  if (program === undefined) {
    throw new CommandError(
      `There is no src/main.ts in ${project.root}: a program that calls service.init. Where is it? --entry <file>`,
    );
  }
  const screen = makeScreen();
  let press = (_letter: string): void => {};
  const keyboard = openKeyboard((letter) => press(letter));
  const ended = untilEnded((end) => {
    press = (letter) => (letter === "q" ? end() : session.press(letter));
  });
  const session = makeSession(project, { program, args, yes, screen, keyboard });
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
  readonly screen: Screen;
  readonly keyboard: Keyboard;
}

interface Session {
  /** Never comes to its end by itself; fails where nothing can be developed at all. */
  run(): Promise<never>;
  press(letter: string): void;
  end(): Promise<void>;
}

function makeSession(project: Project, { program, args, yes, screen, keyboard }: SessionOptions): Session {
  let database: AcquiredDatabase | undefined;
  let acquiring: Promise<AcquiredDatabase> | undefined;
  const starter = makeAppStarter(project.root);
  let app: AppProcess | undefined;
  let listening: Listening | undefined;
  let isEnded = false;
  let watcher: ReturnType<typeof watchFiles> | undefined;
  // One after the other: a change while the last one is still being worked on waits for it.
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
      if (isFirst) acquiring ??= acquireDatabase(project, environment, (line) => screen.say(line));
      if (change.isSchemaChanged && project.schema !== undefined) {
        screen.say("Reading the schema …");
        // Both take seconds, and neither needs the other.
        const [made] = await Promise.all([generateClient(project), acquiring]);
        database = await acquiring;
        if (made) notes.push("Generated the client from the schema.");
        notes.push(...(await migrate(environment)));
      }
      database ??= await acquiring;
      if (isEnded) return;
      await start({ ...environment, DATABASE_URL: database?.url ?? "" }, { started, notes, files: change.files });
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof StartError)) throw error;
      // Without a database there is nothing to wait for.
      if (database === undefined && !isFault(error, "prisma generate")) throw error;
      screen.showFailure("This does not work yet", error.message);
    }
  };

  const migrate = async (environment: Readonly<Record<string, string>>): Promise<string[]> => {
    const url = database?.url ?? "";
    const { applied, isNew, isDeclined } = await bringToSchema(url, project, (migration) =>
      approveMigration(migration, { keyboard, screen, isYes: yes }),
    );
    const notes = applied.map((name) => `Applied the migration ${name}.`);
    if (isDeclined) notes.push("The migration was not wanted, so the database is not at the schema.");
    if (isNew && applied.length > 0 && seedProgram(project) !== undefined) {
      const said = await runSeed(project, { ...environment, DATABASE_URL: url });
      notes.push("Seeded the new database.", ...said.trim().split("\n").filter(Boolean));
    }
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
    let said = "";
    await new Promise<void>((resolve) => {
      app = starter.start(
        { entry: program, args, environment },
        {
          onListening(found) {
            listening = found;
            const page = { name: project.name, database: database?.place ?? "none", listening: found, notes, files };
            screen.show({ ...page, tookMs: Date.now() - started });
            if (said !== "") screen.write(said);
            said = "";
            starter.prepare();
            resolve();
          },
          onOutput(text) {
            // What it says before it listens belongs below the page, or into it when it fails.
            if (listening === undefined) said += text;
            else screen.write(text);
          },
          onEnd(code) {
            const title = listening === undefined ? "The service does not start" : "The service has ended";
            screen.showFailure(`${title} (${code === null ? "by a signal" : `exit code ${code}`})`, said);
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
      await watcher?.close();
      await Promise.all([starter.close(), app?.stop()]);
      await (await acquiring?.catch(() => undefined))?.stop();
    },
  };
}

const isFault = (error: Error, where: string): boolean => error.message.startsWith(`${where}:`);

/** Ends with a signal, with whoever pressed a key, or with the program that started this one. */
function untilEnded(listen: (end: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => resolve();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
    // "npm run" leaves its children behind when it is killed: notice the change of parent.
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && end(), 500).unref();
    listen(end);
  });
}
