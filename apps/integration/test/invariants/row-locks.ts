import type { Model } from "@servicekit/prisma";
import pg from "pg";

/** A lock that a transaction beside the service holds while two requests arrive, so that they proceed together. */
export interface Lock {
  readonly key: string;
  /** The statement that locks, for the models of the two requests. */
  statement(models: readonly Model[], all: readonly Model[]): string;
}

const quoted = ({ table }: Model): string => `"${table}"`;

/** To add one, add its record. */
export const locks: readonly Lock[] = [
  {
    key: "rows",
    statement: (models) => models.map((model) => `SELECT 1 FROM ${quoted(model)} FOR UPDATE`).join("; "),
  },
  {
    // The requests read their rows, and wait before the first write.
    key: "tables",
    statement: (_, all) => `LOCK TABLE ${all.map(quoted).join()} IN SHARE MODE`,
  },
  {
    // The requests have written their rows, and wait before they record them.
    key: "log",
    statement: () => `LOCK TABLE "Change" IN SHARE MODE`,
  },
];

/** How often it is read whether the requests wait: one that waits for something else than the lock never does. */
const maxReads = 40;

/**
 * Starts work while a lock is held, and releases the lock when as many sessions wait as there are requests.
 *
 * @param start sends the requests
 */
export async function whileLocked<Result>(
  url: string,
  statement: string,
  start: () => readonly Promise<Result>[],
): Promise<readonly Result[]> {
  const [holder, observer] = [new pg.Client({ connectionString: url }), new pg.Client({ connectionString: url })];
  await Promise.all([holder.connect(), observer.connect()]);
  try {
    await holder.query(`BEGIN; ${statement}`);
    const requests = start();
    let pending = requests.length;
    for (const request of requests) {
      const end = (): void => {
        pending--;
      };
      request.then(end, end);
    }
    for (let read = 0; read < maxReads && pending > 0; read++) {
      const { rows } = await observer.query(waiting);
      if (rows[0].count >= pending) break;
    }
    await holder.query("COMMIT");
    return await Promise.all(requests);
  } finally {
    await Promise.all([holder.end(), observer.end()]);
  }
}

const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;
