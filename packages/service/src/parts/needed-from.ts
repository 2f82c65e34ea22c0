import { positionModelName } from "@servicekit/jobs/settings";
import type { Database } from "@servicekit/prisma";

/** The first change that a consumer of the log has not read yet; `undefined` without consumers. */
export async function neededFrom(database: Database): Promise<bigint | undefined> {
  const positions = database.models.get(positionModelName);
  if (positions === undefined) return undefined;
  const options = { orderBy: [{ lastId: "asc" }], take: 1, select: { lastId: true } };
  const [lowest] = await database.of(positions).findMany(options);
  return lowest === undefined ? undefined : (lowest.lastId as bigint) + 1n;
}
