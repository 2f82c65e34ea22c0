import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { StartupError } from "@servicekit/core";
import type { DataDirectory } from "./data-directory.js";
import type { PostgresBinaries } from "./postgres-binaries.js";
import { findPostmaster, type Postmaster, postmasterFile } from "./postmaster.js";
import { onProcessEnd } from "./process-end.js";

/** Temporary errors: the port was taken meanwhile, or the processes of a killed server have not exited yet. */
const passing = /could not bind|is still in use|lock file ".*" already exists/;

/** The maximum duration of a start with crash recovery, in milliseconds. */
const patience = 120_000;

/**
 * Starts the server on 127.0.0.1 and waits until it accepts connections: on the port of its last start if that is free,
 * so that other programs can use its address again.
 */
export async function launchPostmaster(
  directory: DataDirectory,
  binaries: PostgresBinaries,
  flags: readonly string[],
): Promise<Postmaster> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    // Only the file of an exited server can exist here; an unrelated process with its pid would prevent the start.
    fs.rmSync(postmasterFile(directory.cluster), { force: true });
    const postmaster = await launchOnce(directory, binaries, flags);
    if (postmaster !== undefined) return postmaster;
    const log = fs.readFileSync(directory.log, "utf8").trim();
    if (!passing.test(log) || Date.now() > deadline) {
      throw new StartupError([
        { where: directory.cluster, message: `PostgreSQL does not start:\n${log.slice(-4000)}` },
      ]);
    }
    await delay(200);
  }
}

async function launchOnce(
  { cluster, account, log, port: portFile }: DataDirectory,
  binaries: PostgresBinaries,
  flags: readonly string[],
): Promise<Postmaster | undefined> {
  const port = (await freePort(readPort(portFile))) ?? (await freePort(0)) ?? 0;
  fs.writeFileSync(portFile, `${port}\n`);
  // "-D" comes first and is followed by more, which identifies the process.
  const args = ["-D", cluster, "-p", String(port), "-h", "127.0.0.1", "-k", "", "-c", "timezone=UTC"];
  const output = fs.openSync(log, "w", 0o600);
  // A separate session, so that Ctrl+C reaches only this process, which then stops the server.
  const child = spawn(binaries("postgres"), [...args, ...flags], {
    ...account,
    cwd: "/",
    detached: true,
    stdio: ["ignore", output, output],
  });
  fs.closeSync(output);
  child.unref();
  let ended = false;
  child.once("exit", () => {
    ended = true;
  });
  child.once("error", ({ message }) => {
    fs.appendFileSync(log, message);
    ended = true;
  });
  const takeBack = onProcessEnd(() => child.kill("SIGINT"));
  const deadline = Date.now() + patience;
  try {
    while (!ended) {
      const postmaster = findPostmaster(cluster);
      if (postmaster?.ready === true && postmaster.pid === child.pid) return postmaster;
      if (Date.now() > deadline) child.kill("SIGQUIT");
      await delay(10);
    }
    return undefined;
  } finally {
    takeBack();
  }
}

function readPort(file: string): number {
  const port = fs.existsSync(file) ? Number(fs.readFileSync(file, "utf8")) : 0;
  return Number.isInteger(port) && port > 1023 && port < 65_536 ? port : 0;
}

/** The port if it is free, or any free one for 0; `undefined` if it is in use. */
function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer().once("error", () => resolve(undefined));
    server.listen(wanted, "127.0.0.1", () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
