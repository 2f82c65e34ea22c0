import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { withClient } from "../../packages/dev-database/src/databases/with-client.js";
import { freePort } from "./free-port.js";

/** The folder of the programs of PostgreSQL; `undefined` if they are not installed, which the log reports. */
export function findPostgresPrograms(): string | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = fs.existsSync(debian) ? fs.readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = (process.env.PATH ?? "").split(path.delimiter);
  const found = [...versions.map((version) => path.join(debian, version, "bin")), ...onPath].find((folder) =>
    ["initdb", "postgres"].every((name) => fs.existsSync(path.join(folder, name))),
  );
  if (found === undefined)
    console.warn("Skipped: these tests need the server programs of PostgreSQL (apt-get install postgresql).");
  return found;
}

/** One server of a cluster. */
export interface ClusterServer {
  readonly host: string;
  /** The URL of a database. */
  urlOf(database: string): string;
  /**
   * Runs SQL, and returns the rows.
   *
   * @param database @default "postgres"
   */
  query(sql: string, database?: string): Promise<Record<string, unknown>[]>;
  start(): Promise<void>;
  /** Ends it without a checkpoint, as a crash does. */
  crash(): Promise<void>;
  /** Makes it a primary. */
  promote(): Promise<void>;
}

/** A primary with streaming replicas, of which one must have received a commit before it is confirmed. */
export interface PostgresCluster {
  readonly primary: ClusterServer;
  readonly replicas: readonly ClusterServer[];
  /** Makes the most advanced replica the primary, and lets the others follow it. */
  failOver(): Promise<ClusterServer>;
  stop(): Promise<void>;
}

const isRoot = process.getuid?.() === 0;
// PostgreSQL does not run as root.
const user = isRoot ? { uid: idOf("-u"), gid: idOf("-g") } : {};

function idOf(flag: string): number {
  return Number(spawnSync("id", [flag, "postgres"], { encoding: "utf8" }).stdout);
}

/**
 * Starts a cluster.
 *
 * @param programs the folder of the programs of PostgreSQL
 * @param prepare fills the primary before it is copied
 */
export async function startPostgresCluster(
  programs: string,
  prepare: (primary: ClusterServer) => Promise<void>,
  names: readonly string[] = ["r1", "r2"],
): Promise<PostgresCluster> {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "servicekit-cluster-"));
  if (isRoot) fs.chownSync(root, user.uid as number, user.gid as number);
  const folderOf = (name: string): string => path.join(root, name);
  const initial = spawnSync(
    path.join(programs, "initdb"),
    ["-D", folderOf("primary"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
    { ...user, cwd: root, encoding: "utf8" },
  );
  if (initial.status !== 0) throw new Error(`initdb failed: ${initial.stderr}`);
  const synchronous = `ANY 1 (${names.join(", ")})`;

  const first = await makeServer({ programs, folder: folderOf("primary"), root, synchronous: "" });
  await first.start();
  await prepare(first);
  await first.shutDown();
  const make = (name: string, port?: number) =>
    makeServer({ programs, folder: folderOf(name), root, synchronous, ...(port === undefined ? {} : { port }) });
  const primary = await make("primary", first.port);
  const replicas: (Server & { readonly name: string })[] = [];
  for (const name of names) {
    spawnSync("cp", ["-r", folderOf("primary"), folderOf(name)], { ...user });
    fs.writeFileSync(path.join(folderOf(name), "standby.signal"), "");
    const info = `primary_conninfo = 'host=127.0.0.1 port=${first.port} user=postgres application_name=${name}'\n`;
    fs.appendFileSync(path.join(folderOf(name), "postgresql.auto.conf"), info);
    replicas.push({ ...(await make(name)), name });
  }
  await Promise.all([primary, ...replicas].map((server) => server.start()));

  return {
    primary,
    replicas,
    failOver: async () => {
      const sql = "SELECT (pg_last_wal_receive_lsn() - '0/0') AS received";
      const states = await Promise.all(
        replicas.map(async (server) => ({ server, received: Number((await server.query(sql))[0]?.received) })),
      );
      const [best, ...others] = states.sort((a, b) => b.received - a.received).map(({ server }) => server);
      if (best === undefined) throw new Error("The cluster has no replica.");
      await best.promote();
      for (const other of others) {
        const info = `host=127.0.0.1 port=${best.port} user=postgres application_name=${other.name}`;
        await other.query(`ALTER SYSTEM SET primary_conninfo = '${info}'`);
        await other.query("SELECT pg_reload_conf()");
      }
      return best;
    },
    stop: async () => {
      await Promise.all([primary, ...replicas].map((server) => server.crash()));
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}

interface Server extends ClusterServer {
  readonly port: number;
  shutDown(): Promise<void>;
}

interface ServerOptions {
  readonly programs: string;
  readonly folder: string;
  readonly root: string;
  readonly synchronous: string;
  readonly port?: number;
}

async function makeServer({ programs, folder, root, synchronous, port: given }: ServerOptions): Promise<Server> {
  const port = given ?? (await freePort());
  const urlOf = (database: string): string => `postgresql://postgres@127.0.0.1:${port}/${database}`;
  const query = async (sql: string, database = "postgres") => {
    let rows: Record<string, unknown>[] = [];
    await withClient(urlOf(database), async (client) => {
      rows = (await client.query(sql)).rows as Record<string, unknown>[];
    });
    return rows;
  };
  let child: ChildProcess | undefined;
  process.once("exit", () => child?.kill("SIGQUIT"));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await ended;
  };
  return {
    host: `127.0.0.1:${port}`,
    port,
    urlOf,
    query,
    start: async () => {
      const settings = {
        port,
        listen_addresses: "127.0.0.1",
        unix_socket_directories: root,
        wal_level: "replica",
        max_wal_senders: 10,
        wal_keep_size: "256MB",
        hot_standby: "on",
        fsync: "off",
        shared_buffers: "32MB",
        synchronous_standby_names: synchronous,
        wal_receiver_status_interval: "1s",
        wal_retrieve_retry_interval: "100ms",
      };
      const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      const started = spawn(path.join(programs, "postgres"), ["-D", folder, ...flags], {
        ...user,
        cwd: root,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let output = "";
      started.stderr.on("data", (chunk) => {
        output = `${output}${chunk}`.slice(-4_000);
      });
      child = started;
      for (;;) {
        if (started.exitCode !== null) throw new Error(`PostgreSQL ended: ${output}`);
        const isUp = await query("SELECT 1").then(
          () => true,
          () => false,
        );
        if (isUp) return;
        await wait(50);
      }
    },
    crash: () => end("SIGQUIT"),
    shutDown: () => end("SIGINT"),
    promote: async () => {
      await query("SELECT pg_promote(true, 60)");
    },
  };
}
