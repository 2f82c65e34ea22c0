import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { StartError } from "@servicekit/core";
import { type Account, canReach, serverAccount } from "./account.js";

/** The folder of one development database and what lies in it. */
export interface DataDirectory {
  readonly path: string;
  readonly account: Account;
  /** What PostgreSQL calls the data directory. */
  readonly cluster: string;
  /** The log of the running server, begun anew at each start. */
  readonly log: string;
  /** Names the process whose normal stop stops the server. */
  readonly owner: string;
  /** Is there while a process starts the server. */
  readonly lock: string;
}

/**
 * Makes the folder ready: it is there, private, and within reach of the account that the server runs as. Where root
 * names a folder that an unprivileged server cannot reach, a folder in the temporary directory stands in for it.
 *
 * @throws StartError when the folder holds something else or belongs to another user.
 */
export function prepareDataDirectory(directory: string): DataDirectory {
  // An unset variable must not turn the working directory into the database's.
  if (directory === "") throw new StartError([{ where: "directory", message: "Name a folder for the database." }]);
  const wanted = path.resolve(directory);
  try {
    // The folders above are made first and as usual: only then can be seen whether the server gets through them.
    fs.mkdirSync(path.dirname(wanted), { recursive: true });
    const at = reachableFolder(fs.existsSync(wanted) ? fs.realpathSync(wanted) : realChild(wanted));
    const account = serverAccount(at);
    if (fs.existsSync(at)) checkOurs(at);
    else fs.mkdirSync(at);
    if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(at, account.uid, account.gid);
    fs.chmodSync(at, 0o700);
    return toDataDirectory(at, account);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EPERM" || code === "EACCES" ? "It belongs to another user." : message;
    throw new StartError([{ where: wanted, message: `The database cannot be kept here. ${reason}` }]);
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
  // Anyone may write in the temporary folder: what is there already must be what a start as root made.
  const stat = fs.lstatSync(standIn, { throwIfNoEntry: false });
  const { uid } = serverAccount("");
  if (stat === undefined || (stat.isDirectory() && (stat.uid === uid || stat.uid === 0))) return standIn;
  throw new StartError([{ where: standIn, message: "It belongs to another user; remove it and start again." }]);
}

/** What a start, also a killed one, leaves in the folder. */
const ourNames = /^(cluster(\.half-.+)?|postgres\.log|owner\.pid|start\.lock.*)$/;

/** The mode and the owner of the folder are about to change, so it must be empty or one of ours. */
function checkOurs(directory: string): void {
  if (!fs.statSync(directory).isDirectory()) {
    throw new StartError([{ where: directory, message: "It is not a folder; name one for the database." }]);
  }
  const foreign = fs.readdirSync(directory).filter((name) => !name.startsWith(".") && !ourNames.test(name));
  if (foreign.length === 0) return;
  const fault = `It holds other things (${foreign.slice(0, 3).join(", ")}); name a folder of its own for the database.`;
  throw new StartError([{ where: directory, message: fault }]);
}
