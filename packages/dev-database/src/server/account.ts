import fs from "node:fs";
import path from "node:path";

/** The account of the server process; empty for the account of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** "nobody" on Linux; any unprivileged id does, no entry in /etc/passwd is needed. */
const nobody = 65534;

/** PostgreSQL does not run as root, so root switches to the owner of the directory, or to "nobody". */
export function serverAccount(directory: string): Account {
  if (process.getuid?.() !== 0) return {};
  const stat = fs.statSync(directory, { throwIfNoEntry: false });
  return stat === undefined || stat.uid === 0 ? { uid: nobody, gid: nobody } : { uid: stat.uid, gid: stat.gid };
}

/** Whether the account can enter the folder: it and each folder above must allow it. */
export function canReach(folder: string, account: Account): boolean {
  if (account.uid === undefined) return true;
  const { mode, uid, gid } = fs.statSync(folder);
  const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
  if ((mode & bit) === 0) return false;
  const parent = path.dirname(folder);
  return parent === folder || canReach(parent, account);
}
