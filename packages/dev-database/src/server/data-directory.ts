import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { StartError } from "@servicekit/errors";
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
  const wanted = realPath(path.resolve(directory));
  if (fs.statSync(wanted, { throwIfNoEntry: false })?.isDirectory() === false) {
    throw new StartError([{ where: wanted, message: "It is not a folder; name one for the database." }]);
  }
  const wantedAccount = serverAccount(wanted);
  const within = canReach(wanted, wantedAccount);
  const at = within ? wanted : standIn(wanted);
  const account = within ? wantedAccount : serverAccount(at);
  try {
    if (fs.existsSync(at)) checkOurs(at);
    fs.mkdirSync(at, { recursive: true, mode: 0o700 });
    if (account.uid !== undefined && account.gid !== undefined) fs.chownSync(at, account.uid, account.gid);
    fs.chmodSync(at, 0o700);
  } catch (error) {
    if (error instanceof StartError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === "EPERM" || code === "EACCES" ? "It belongs to another user." : message;
    throw new StartError([{ where: at, message: `The database cannot be kept here. ${reason}` }]);
  }
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

/** The path without links, also when its last parts do not exist yet. */
function realPath(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    const parent = path.dirname(folder);
    return parent === folder ? folder : path.join(realPath(parent), path.basename(folder));
  }
}

function standIn(directory: string): string {
  const name = createHash("sha256").update(directory).digest("hex").slice(0, 16);
  return path.join(fs.realpathSync(os.tmpdir()), `servicekit-postgres-${name}`);
}

/** What a start, also a killed one, leaves in the folder. */
const ourNames = /^(cluster(\.half-.+)?|postgres\.log|owner\.pid|start\.lock.*)$/;

/** The mode and the owner of the folder are about to change, so it must be empty or one of ours. */
function checkOurs(directory: string): void {
  const foreign = fs.readdirSync(directory).filter((name) => !name.startsWith(".") && !ourNames.test(name));
  if (foreign.length === 0) return;
  const fault = `It holds other things (${foreign.slice(0, 3).join(", ")}); name a folder of its own for the database.`;
  throw new StartError([{ where: directory, message: fault }]);
}
