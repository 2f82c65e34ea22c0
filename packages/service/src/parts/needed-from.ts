import { positionModelName } from "@servicekit/jobs/settings";
import type { Database } from "@servicekit/prisma";

/**
 * The first change that a consumer of the log has not read yet, or that a job needs; `undefined` without both.
 *
 * @param neededByJobs the first change that a job needs
 */
export async function neededFrom(
  database: Database,
  neededByJobs: () => Promise<bigint | undefined>,
): Promise<bigint | undefined> {
  const unread = await firstUnread(database);
  // After the positions: a change whose jobs are stored meanwhile is needed by one of both.
  const needed = await neededByJobs();
  return unread === undefined || (needed !== undefined && needed < unread) ? needed : unread;
}

async function firstUnread(database: Database): Promise<bigint | undefined> {
  const positions = database.models.get(positionModelName);
  if (positions === undefined) return undefined;
  const options = { orderBy: [{ lastId: "asc" }], take: 1, select: { lastId: true } };
  const [lowest] = await database.of(positions).findMany(options);
  return lowest === undefined ? undefined : (lowest.lastId as bigint) + 1n;
}
