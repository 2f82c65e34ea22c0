import { spawn } from "node:child_process";
import path from "node:path";
import { commandError } from "../command-error.js";
import { packageFolder } from "../package-folder.js";
import type { ProjectFolder, Variables } from "../project/project.js";
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
 * The database of `DATABASE_URL`, or an embedded one of the project, which stops with this process even if that is
 * killed.
 *
 * @throws {CommandError} if it cannot be started
 */
export async function acquireDatabase(
  project: ProjectFolder,
  { DATABASE_URL: url = "" }: Variables,
  log: (line: string) => void,
): Promise<AcquiredDatabase> {
  if (url !== "") return { url, place: placeOf(url), isEmbedded: false, stop: async () => {} };
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

function placeOf(url: string): string {
  const { hostname = "", port = "", pathname = "" } = URL.canParse(url) ? new URL(url) : {};
  return `PostgreSQL at ${hostname}${port && `:${port}`}${pathname}`;
}
