import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "./free-port.js";

/** Whether the program is installed; otherwise the log lists the skipped tests. */
export function hasPgBouncer(): boolean {
  const found = spawnSync("pgbouncer", ["--version"]).status === 0;
  if (!found) console.warn("Skipped: these tests need the program pgbouncer (apt-get install pgbouncer).");
  return found;
}

/** A PgBouncer for one test. */
export interface PgBouncer {
  /** The URL of a database of the server, through this PgBouncer. */
  urlOf(databaseUrl: string): string;
  stop(): Promise<void>;
}

/** Its settings; the others have their defaults. */
export interface PgBouncerOptions {
  readonly mode: "session" | "transaction";
  /** Connections to each database. @default 5 */
  readonly size?: number;
}

/** Starts a PgBouncer in front of the server of a database. */
export async function startPgBouncer(databaseUrl: string, { mode, size = 5 }: PgBouncerOptions): Promise<PgBouncer> {
  const server = new URL(databaseUrl);
  const port = await freePort();
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-pgbouncer-"));
  const password = server.password === "" ? "" : ` password=${decodeURIComponent(server.password)}`;
  const host = server.searchParams.get("host") ?? server.hostname;
  const lines = [
    "[databases]",
    `* = host=${host} port=${server.port || "5432"} user=${decodeURIComponent(server.username)}${password}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${mode}`,
    `default_pool_size = ${size}`,
    "max_client_conn = 200",
    // By default it connects to a server that was down only after 15 seconds.
    "server_login_retry = 1",
  ];
  const file = path.join(directory, "pgbouncer.ini");
  fs.writeFileSync(file, `${lines.join("\n")}\n`);
  fs.chmodSync(directory, 0o755);
  // It does not run as root.
  const isRoot = process.getuid?.() === 0;
  const anonymous = 65_534;
  const child = spawn("pgbouncer", ["-q", file], {
    cwd: os.tmpdir(),
    stdio: ["ignore", "ignore", "pipe"],
    ...(isRoot ? { uid: anonymous, gid: anonymous } : {}),
  });
  let output = "";
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const killWithProcess = (): void => void child.kill("SIGKILL");
  process.once("exit", killWithProcess);
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended: ${output}`);
    await wait(20);
  }
  return {
    urlOf: (url) => {
      const through = new URL(url);
      through.hostname = "127.0.0.1";
      through.port = String(port);
      through.searchParams.delete("host");
      return through.href;
    },
    stop: async () => {
      process.off("exit", killWithProcess);
      child.kill("SIGKILL");
      await ended;
      fs.rmSync(directory, { recursive: true, force: true });
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
