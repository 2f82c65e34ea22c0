import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { type Account, canReach, serverAccount } from "./account.js";

/** The folder of one development database and its contents. */
export interface DataDirectory {
  readonly path: string;
  readonly account: Account;
  /** PostgreSQL's data directory. */
  readonly cluster: string;
  /** The log of the running server, truncated at each start. */
  readonly log: string;
  /** Contains the process whose normal exit stops the server. */
  readonly owner: string;
  /** Contains the port of the last start. */
  readonly port: string;
  /** Exists while a process starts the server. */
  readonly lock: string;
}

/**
 * Prepares the folder: it exists, is private, and is accessible to the server's account. If root chooses a folder that
 * an unprivileged server cannot reach, a folder in the temporary directory is used instead.
 *
 * @throws StartupError if the folder contains other files or belongs to another user.
 */
export function prepareDataDirectory(directory: string): DataDirectory {
  // An unset variable must not make the working directory the database's folder.
  if (directory === "") throw new StartupError([{ where: "directory", message: "Set a folder for the database." }]);
  const wanted = path.resolve(directory);
  try {
    // The parent folders are created first, because only then can their access be checked.
    fs.mkdirSync(path.dirname(wanted), { recursive: true });
    const at = reachableFolder(fs.existsSync(wanted) ? fs.realpathSync(wanted) : realChild(wanted));
    const account = serverAccount(at);
    if (fs.existsSync(at)) checkOwned(at);
    else fs.mkdirSync(at);
    if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(at, account.uid, account.gid);
    fs.chmodSync(at, 0o700);
    return toDataDirectory(at, account);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EPERM" || code === "EACCES" ? "It belongs to another user." : message;
    throw new StartupError([{ where: wanted, message: `The database cannot be stored here. ${reason}` }]);
  }
}

function toDataDirectory(at: string, account: Account): DataDirectory {
  const inside = (name: string) => path.join(at, name);
  return {
    path: at,
    account,
    cluster: inside("cluster"),
    log: inside("postgres.log"),
    owner: inside("owner.pid"),
    port: inside("port"),
    lock: inside("start.lock"),
  };
}

function realChild(folder: string): string {
  return path.join(fs.realpathSync(path.dirname(folder)), path.basename(folder));
}

function reachableFolder(wanted: string): string {
  if (canReach(path.dirname(wanted), serverAccount(wanted))) return wanted;
  const name = createHash("sha256").update(wanted).digest("hex").slice(0, 16);
  const standIn = path.join(fs.realpathSync(os.tmpdir()), `servicekit-postgres-${name}`);
  // The temporary folder is writable for everyone, so an existing folder must be one that root created.
  const stat = fs.lstatSync(standIn, { throwIfNoEntry: false });
  const { uid } = serverAccount("");
  if (stat === undefined || (stat.isDirectory() && (stat.uid === uid || stat.uid === 0))) return standIn;
  throw new StartupError([{ where: standIn, message: "It belongs to another user. Remove it and start again." }]);
}

/** The files that a start, including a killed one, leaves in the folder. */
const ourNames = /^(cluster(\.half-.+)?|postgres\.log|owner\.pid|port|start\.lock.*)$/;

/** The mode and the owner of the folder will change, so it must be empty or created by us. */
function checkOwned(directory: string): void {
  if (!fs.statSync(directory).isDirectory()) {
    throw new StartupError([{ where: directory, message: "It is not a folder. Set a folder for the database." }]);
  }
  const foreign = fs.readdirSync(directory).filter((name) => !name.startsWith(".") && !ourNames.test(name));
  if (foreign.length === 0) return;
  const issue = `It contains other files (${foreign.slice(0, 3).join(", ")}). Use a separate folder for the database.`;
  throw new StartupError([{ where: directory, message: issue }]);
}
