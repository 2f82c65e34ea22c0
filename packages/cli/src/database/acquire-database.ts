import { spawn } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { isMysqlUrl } from "@servicekit/core/internal";
import { findWritableUrl } from "@servicekit/prisma/internal";
import { commandError } from "../command-error.js";
import { providerOf } from "../generate/provider-of.js";
import { packageFolder } from "../package-folder.js";
import { findProject, type ProjectFolder, type Variables } from "../project/project.js";
import type { SupervisorMessage } from "./supervisor.js";

const supervisor = path.join(packageFolder, "dist", "database", "supervisor.js");

/** A database for a command. */
export interface AcquiredDatabase {
  readonly url: string;
  /** A description without the password. */
  readonly place: string;
  readonly isEmbedded: boolean;
  stop(): Promise<void>;
}

/**
 * The database of `DATABASE_URL`, or that of the project: a file if its schema has the provider `sqlite`, otherwise an
 * embedded PostgreSQL, which stops with this process even if that is killed.
 *
 * @throws {CommandError} if it cannot be started
 */
export async function acquireDatabase(
  project: ProjectFolder,
  { DATABASE_URL: url = "" }: Variables,
  log: (line: string) => void,
): Promise<AcquiredDatabase> {
  const found = url === "" ? await developmentFile(project) : await writableUrl(url);
  if (found !== undefined) return { url: found, place: placeOf(found), isEmbedded: false, stop: async () => {} };
  const child = spawn(process.execPath, [supervisor, project.data], {
    cwd: project.root,
    // A separate session, so that Ctrl+C ends the service first.
    detached: true,
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const started = await new Promise<string>((resolve, reject) => {
    child.on("message", (message: SupervisorMessage) => {
      if (message.kind === "log") log(message.line);
      else if (message.kind === "started") resolve(message.url);
      else reject(new Error(message.message));
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`The database exited with ${code}.`)));
  }).catch((error: Error) => {
    throw commandError("the development database", error.message);
  });
  return {
    url: started,
    place: `${started} (embedded, data in .data/postgres)`,
    isEmbedded: true,
    stop: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

/**
 * The database of `DATABASE_URL`, or that of the project, which must exist: an empty one has nothing to show or change.
 *
 * @throws {CommandError} if it does not exist or cannot be started
 */
export async function acquireExistingDatabase(
  project: ProjectFolder,
  environment: Variables,
  log: (line: string) => void,
): Promise<AcquiredDatabase> {
  const { DATABASE_URL: url = "" } = environment;
  const provider = url === "" ? providerOf(await findProject(project.root)) : undefined;
  // MySQL has no embedded server: acquireDatabase reports that.
  if (url === "" && provider !== "mysql" && !fs.existsSync(provider === "sqlite" ? project.file : project.data)) {
    const hint = "Set it, or run service dev, which creates one.";
    throw commandError("DATABASE_URL", `It is not set, and ${project.root} has no development database. ${hint}`);
  }
  return acquireDatabase(project, environment, log);
}

/**
 * The URL of the SQLite file of a project; `undefined` if its schema has another provider.
 *
 * @throws {CommandError} for a schema of MySQL, which has no embedded server
 */
export async function developmentFile(project: ProjectFolder): Promise<string | undefined> {
  const provider = providerOf(await findProject(project.root));
  if (provider === "mysql")
    throw commandError("DATABASE_URL", "Set the URL of a MySQL or MariaDB server: the schema has the provider mysql.");
  if (provider !== "sqlite") return undefined;
  fs.mkdirSync(path.dirname(project.file), { recursive: true });
  return `file:${project.file}`;
}

/**
 * The URL of the server that accepts writes, because the schema engine connects to one host.
 *
 * @throws {CommandError} if no host accepts writes
 */
export async function writableUrl(url: string): Promise<string> {
  try {
    return await findWritableUrl(url);
  } catch (error) {
    const { message } = error as Error;
    throw commandError("DATABASE_URL", error instanceof TypeError ? message : "None of its hosts accepts writes.");
  }
}

function placeOf(url: string): string {
  if (url.startsWith("file:")) return `the SQLite file ${url.slice("file:".length)}`;
  const { hostname = "", port = "", pathname = "" } = URL.canParse(url) ? new URL(url) : {};
  return `${isMysqlUrl(url) ? "MySQL" : "PostgreSQL"} at ${hostname}${port && `:${port}`}${pathname}`;
}
