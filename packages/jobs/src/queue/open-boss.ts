import { StartupError } from "@servicekit/core";
import { namesOf, type OptionalPackages, whenMissing } from "@servicekit/core/internal";
import { readConnectionString } from "@servicekit/prisma/internal";
import type { PostgresResult } from "@servicekit/prisma/postgres";
import type { Db, PgBoss } from "pg-boss";
import type { JobLog } from "../job-log.js";
import type { OrderedConnection } from "../ordered/ordered-queues.js";
import { createOrderedTables, type SqlRow } from "../ordered/tables.js";

/** The packages for services with jobs. */
export const jobPackages: OptionalPackages = { names: ["pg-boss", "@prisma/adapter-pg"], purpose: "Running jobs" };

/** How the connection of the queues is opened. */
export interface BossOptions {
  readonly url: string;
  /** The database schema of the queues. */
  readonly schema: string;
  readonly poolSize: number;
  /** The interval in seconds in which lost jobs are looked for. */
  readonly supervisionSeconds: number;
  readonly log: JobLog;
}

/** An open connection, also for ordered queues, and the function of its library that joins Prisma's transactions. */
export interface OpenBoss {
  readonly boss: PgBoss;
  readonly connection: OrderedConnection;
  readonly fromPrisma: typeof import("pg-boss").fromPrisma;
  /** Ends the workers and closes the connections. */
  close(options: Parameters<PgBoss["stop"]>[0]): Promise<void>;
}

/**
 * Loads pg-boss, connects, and creates or migrates its tables.
 *
 * @throws {StartupError} if pg-boss is not installed, or the database user may not create the tables
 */
export async function openBoss(options: BossOptions): Promise<OpenBoss> {
  const missing = whenMissing("jobs", jobPackages);
  const { PgBoss, fromPrisma } = namesOf(await import("pg-boss").catch(missing));
  const { makePostgresPool } = await import("@servicekit/prisma/postgres").catch(missing);
  const { url, schema, poolSize, supervisionSeconds, log } = options;
  warnOfNode(process.versions.node, log);
  // pg-boss's own connections would not follow a primary.
  const pool = makePostgresPool({ url, poolSize, applicationName: "servicekit jobs" });
  const db: Db = {
    // pg-boss reads lists of results, which its types lack.
    executeSql: (text, values) => pool.query(text, values) as ReturnType<Db["executeSql"]>,
  };
  const connection: OrderedConnection = {
    run: async (text, values) => rowsOf([await pool.query(text, values)].flat().at(-1)),
    runAll: async (text) => [await pool.query(text)].flat().map(rowsOf),
  };
  const open = async (createSchema: boolean): Promise<PgBoss> => {
    const boss = new PgBoss({
      ...{ db, schema, createSchema },
      superviseIntervalSeconds: supervisionSeconds,
      monitorIntervalSeconds: supervisionSeconds,
      // Schedules are evaluated by this package.
      schedule: false,
      // LISTEN does not work through a pooler, and the instances are only shown by tools of pg-boss.
      registerInstance: false,
    });
    boss.on("error", (error) => log.error({ err: error }, "a query of the job queues failed"));
    boss.on("warning", ({ message, data }) => log.warn({ ...data }, `job queues: ${message}`));
    try {
      return await boss.start();
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
  };
  try {
    const boss = await open(true)
      // The right to create schemas is not needed if an administrator has created this one.
      .catch((error: unknown) => (isForbidden(error) ? open(false) : Promise.reject(error)));
    await createOrderedTables(connection.run, schema);
    const close: OpenBoss["close"] = async (stopOptions) => {
      await boss.stop(stopOptions);
      await pool.end();
    };
    return { boss, fromPrisma, connection, close };
  } catch (error) {
    await pool.end();
    if (!isForbidden(error) && codeOf(error) !== noSchema) throw error;
    const message = `The database user may not create the tables of the job queues. Run as an administrator: CREATE SCHEMA "${schema}" AUTHORIZATION ${userOf(url)};`;
    throw new StartupError([{ where: "jobs", message }], { cause: error });
  }
}

const rowsOf = (result: PostgresResult | undefined): readonly SqlRow[] => (result?.rows ?? []) as readonly SqlRow[];

const noSchema = "3F000";

const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code;

const isForbidden = (error: unknown): boolean => codeOf(error) === "42501";

function userOf(url: string): string {
  const { username } = new URL(readConnectionString(url).url);
  return username === "" ? "<user>" : `"${decodeURIComponent(username).replaceAll('"', '""')}"`;
}

/** The first version of Node that pg-boss 12 is declared for. */
const declared = [22, 12] as const;

/** Logs once that this version of Node runs jobs, but is not one that pg-boss is tested with. */
export function warnOfNode(version: string, log: JobLog): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > declared[0] || (major === declared[0] && minor >= declared[1])) return;
  log.warn(
    { node: version },
    `pg-boss 12 supports Node ${declared.join(".")} and later. Jobs run on Node ${version}, but its authors do not test it.`,
  );
}
