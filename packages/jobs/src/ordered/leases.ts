import { quoteText } from "@servicekit/prisma/internal";
import type { OrderedTables, RunSql } from "./tables.js";

/** The right of one process to do something alone, until it expires in the database. */
export interface Lease {
  /** Larger for each later holder: a write of an earlier one is rejected. */
  readonly fence: bigint;
}

/** How long a lease lasts, in seconds. */
const leaseSeconds = 10;

/**
 * Acquires or extends a lease.
 *
 * @returns `undefined` while another process has it
 */
export async function acquireLease(
  run: RunSql,
  { leases }: OrderedTables,
  name: string,
  holder: string,
): Promise<Lease | undefined> {
  const [row] = await run(
    `INSERT INTO ${leases} AS l (name, holder, fence, until) VALUES ($1, $2::text::uuid, 1, now() + interval '${leaseSeconds} seconds')
ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until,
fence = l.fence + CASE WHEN l.holder = excluded.holder THEN 0 ELSE 1 END
WHERE l.holder = excluded.holder OR l.until < now() RETURNING fence::text`,
    [name, holder],
  );
  return row === undefined ? undefined : { fence: BigInt(String(row.fence)) };
}

/** A statement that locks a lease and returns a row as long as no other process has acquired it. */
export const checkLease = ({ leases }: OrderedTables, name: string, { fence }: Lease): string =>
  `SELECT 1 AS one FROM ${leases} WHERE name = ${quoteText(name)} AND fence = ${fence} FOR SHARE`;

/** Ends a lease, so that another process need not wait for its end. */
export const releaseLease = (run: RunSql, { leases }: OrderedTables, name: string, holder: string): Promise<unknown> =>
  run(`UPDATE ${leases} SET until = now() - interval '1 second' WHERE name = $1 AND holder = $2::text::uuid`, [
    name,
    holder,
  ]);
