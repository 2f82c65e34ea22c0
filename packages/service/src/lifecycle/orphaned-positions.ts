import { positionModelName } from "@servicekit/jobs/settings";
import type { ModelConfig } from "@servicekit/model-router";
import type { Database } from "@servicekit/prisma";

/** The positions in the change log without a consumer: the retention deletes no change after them (contract C108). */
export async function orphanedPositions(
  database: Database,
  models: Readonly<Record<string, ModelConfig>>,
  consumers: readonly string[],
): Promise<readonly string[]> {
  const positions = database.models.get(positionModelName);
  const isLimited = Object.values(models).some(
    ({ changes }) => typeof changes === "object" && changes.retention !== undefined,
  );
  if (positions === undefined || !isLimited) return [];
  const rows = await database.of(positions).findMany({ select: { name: true } });
  return rows.map(({ name }) => String(name)).filter((name) => !consumers.includes(name));
}
