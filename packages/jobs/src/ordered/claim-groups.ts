import { quoteText } from "@servicekit/prisma/internal";
import { type OrderedTables, quickStatement, type RunSql } from "./tables.js";

/** A key of an ordered queue. */
export interface GroupId {
  readonly queue: string;
  readonly target: string;
  readonly key: string;
}

/** The first job of a group, for the process that has claimed the group. */
export interface ClaimedJob extends GroupId {
  /** The number of attempts before. */
  readonly attempt: number;
  /** `undefined` if the group has no jobs. */
  readonly job: WaitingJob | undefined;
}

/** A stored job. */
export interface WaitingJob {
  readonly position: bigint;
  readonly id: string;
  /** `null` if it refers to a change. */
  readonly data: object | null;
}

/** Where a search for due groups starts. */
export interface Search {
  readonly queue: string;
  /** The last target of the search before. */
  readonly after: string;
  /** The maximum number of groups of each target. */
  readonly perTarget: number;
}

/** The number of targets of a queue that one statement examines. */
export const maxTargets = 100;

/**
 * Finds groups that are due: a few of each target, so that neither their number nor that of other targets matters.
 *
 * @returns the groups, and the last target of each queue that has further ones
 */
export async function findDueGroups(run: RunSql, tables: OrderedTables, searches: readonly Search[]) {
  const rows = await run(
    quickStatement(
      `SELECT q.queue, t.target, g.key FROM json_to_recordset($1) AS q(queue text, after text, "perTarget" int)
CROSS JOIN LATERAL (WITH RECURSIVE targets AS (
(SELECT target FROM ${tables.groups} WHERE queue = q.queue AND target > q.after ORDER BY target LIMIT 1)
UNION ALL
SELECT n.target FROM targets AS t CROSS JOIN LATERAL (SELECT target FROM ${tables.groups} WHERE queue = q.queue AND target > t.target ORDER BY target LIMIT 1) AS n
) SELECT target FROM targets LIMIT ${maxTargets}) AS t
LEFT JOIN ${tables.targets} AS p ON p.queue = q.queue AND p.target = t.target
LEFT JOIN LATERAL (SELECT key FROM ${tables.groups} WHERE queue = q.queue AND target = t.target AND due <= now()
AND (p.paused_until IS NULL OR p.paused_until <= now()) ORDER BY due LIMIT q."perTarget") AS g ON true`,
      searches,
    ),
  );
  const targets = new Map<string, Set<string>>();
  const groups: GroupId[] = [];
  for (const { queue, target, key } of rows as readonly (Omit<GroupId, "key"> & { readonly key: string | null })[]) {
    targets.set(queue, (targets.get(queue) ?? new Set()).add(target));
    if (key !== null) groups.push({ queue, target, key });
  }
  const next = new Map<string, string>();
  for (const [queue, names] of targets) if (names.size === maxTargets) next.set(queue, [...names].at(-1) as string);
  return { groups, next };
}

const joined = `FROM json_to_recordset($1) AS c(queue text, target text, key text)`;

/**
 * Claims due groups for a process, and reads their first jobs. Groups that other processes claim or lock are left out.
 *
 * @param leaseSeconds until then the process must renew its claim
 */
export async function claimGroups(
  run: RunSql,
  tables: OrderedTables,
  groups: readonly GroupId[],
  { holder, leaseSeconds }: { readonly holder: string; readonly leaseSeconds: number },
): Promise<readonly ClaimedJob[]> {
  const rows = await run(
    quickStatement(
      `WITH due AS (SELECT g.queue, g.target, g.key FROM ${tables.groups} AS g JOIN (SELECT * ${joined}) AS c USING (queue, target, key)
WHERE g.due <= now() ORDER BY 1, 2, 3 FOR UPDATE OF g SKIP LOCKED),
claimed AS (UPDATE ${tables.groups} AS g SET holder = ${quoteText(holder)}, due = now() + ${leaseSeconds} * interval '1 second',
attempt = g.attempt + CASE WHEN g.holder IS NULL THEN 0 ELSE 1 END
FROM due AS d WHERE g.queue = d.queue AND g.target = d.target AND g.key = d.key RETURNING g.*)
SELECT c.queue, c.target, c.key, c.attempt, j.position::text, j.id::text, j.data FROM claimed AS c
LEFT JOIN LATERAL (SELECT position, id, data FROM ${tables.jobs} AS j WHERE j.queue = c.queue AND j.target = c.target AND j.key = c.key
AND j.position > c.last_position ORDER BY position, id LIMIT 1) AS j ON true`,
      groups,
    ),
  );
  return rows.map((row) => toClaimed(row as unknown as ClaimedRow));
}

/** Extends the claims of a process. */
export const renewGroups = (
  run: RunSql,
  tables: OrderedTables,
  groups: readonly GroupId[],
  { holder, leaseSeconds }: { readonly holder: string; readonly leaseSeconds: number },
): Promise<unknown> =>
  run(
    quickStatement(
      `UPDATE ${tables.groups} AS g SET due = now() + ${leaseSeconds} * interval '1 second'
FROM (SELECT g.queue, g.target, g.key FROM ${tables.groups} AS g JOIN (SELECT * ${joined}) AS c USING (queue, target, key)
WHERE g.holder = ${quoteText(holder)} ORDER BY 1, 2, 3 FOR UPDATE OF g SKIP LOCKED) AS c
WHERE g.queue = c.queue AND g.target = c.target AND g.key = c.key`,
      groups,
    ),
  );

/** Returns those of the groups that a process has still claimed. */
export const heldGroups = async (
  run: RunSql,
  tables: OrderedTables,
  groups: readonly GroupId[],
  holder: string,
): Promise<readonly GroupId[]> =>
  (await run(
    quickStatement(
      `SELECT g.queue, g.target, g.key FROM ${tables.groups} AS g JOIN (SELECT * ${joined}) AS c USING (queue, target, key) WHERE g.holder = ${quoteText(holder)}`,
      groups,
    ),
  )) as unknown as readonly GroupId[];

/** Returns the groups of a process that ends. */
export const releaseGroups = (run: RunSql, tables: OrderedTables, groups: readonly GroupId[], holder: string) =>
  run(
    quickStatement(
      `UPDATE ${tables.groups} AS g SET due = now(), holder = NULL, attempt = attempt + 1 ${joined}
WHERE g.queue = c.queue AND g.target = c.target AND g.key = c.key AND g.holder = ${quoteText(holder)}`,
      groups,
    ),
  );

/** A row of a claimed group with its first job. */
export interface ClaimedRow extends GroupId {
  readonly attempt: number;
  readonly position: string | null;
  readonly id: string;
  readonly data: object | null;
}

export const toClaimed = ({ queue, target, key, attempt, position, id, data }: ClaimedRow): ClaimedJob => ({
  ...{ queue, target, key, attempt },
  job: position === null ? undefined : { position: BigInt(position), id, data },
});
