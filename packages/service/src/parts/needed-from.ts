import { changeModelName } from "@servicekit/changes/settings";
import { positionModelName } from "@servicekit/jobs/settings";
import type { Database, Model } from "@servicekit/prisma";

/** What decides which changes are needed. */
export interface NeededOptions {
  /** The first change that a job needs. */
  readonly neededByJobs: () => Promise<bigint | undefined>;
  /** Days after which a consumer is ignored that has not read its changes. */
  readonly maxLagDays: number;
  /** Called for each consumer that is ignored. */
  readonly onIgnored: (consumer: string) => void;
}

/** The first change that a consumer of the log has not read yet, or that a job needs; `undefined` without both. */
export async function neededFrom(
  database: Database,
  { neededByJobs, maxLagDays, onIgnored }: NeededOptions,
): Promise<bigint | undefined> {
  const unread = await firstUnread(database, maxLagDays, onIgnored);
  // After the positions: a change whose jobs are stored meanwhile is needed by one of both.
  const needed = await neededByJobs();
  return unread === undefined || (needed !== undefined && needed < unread) ? needed : unread;
}

async function firstUnread(
  database: Database,
  maxLagDays: number,
  onIgnored: NeededOptions["onIgnored"],
): Promise<bigint | undefined> {
  const [positions, changes] = [database.models.get(positionModelName), database.models.get(changeModelName)];
  if (positions === undefined) return undefined;
  const rows = await database
    .of(positions)
    .findMany({ orderBy: [{ lastId: "asc" }], select: { name: true, lastId: true } });
  for (const { name, lastId } of rows) {
    if (changes === undefined || !(await isBehind(database, changes, lastId as bigint, maxLagDays)))
      return (lastId as bigint) + 1n;
    onIgnored(String(name));
  }
  return undefined;
}

/** Whether the first change after a position is older than some days. */
async function isBehind(database: Database, changes: Model, lastId: bigint, days: number): Promise<boolean> {
  const [oldest] = await database
    .of(changes)
    .findMany({ where: { id: { gt: lastId } }, orderBy: [{ id: "asc" }], take: 1, select: { time: true } });
  return oldest !== undefined && new Date(oldest.time as Date).getTime() < Date.now() - days * dayMs;
}

const dayMs = 86_400_000;
