import { positionModelName } from "@servicekit/jobs/settings";
import type { ModelConfig } from "@servicekit/model-router";
import type { Database } from "@servicekit/prisma";
import type { Logger } from "pino";

/** What is compared with the stored positions. */
export interface PositionsContext {
  readonly database: Database | undefined;
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** The names of the consumers of the change log. */
  readonly consumers: readonly string[];
  readonly logger: Logger;
}

/** Warns of positions in the change log without a consumer: the retention deletes no change after them (contract C108). */
export async function warnOfOrphanedPositions({
  database,
  models,
  consumers,
  logger,
}: PositionsContext): Promise<void> {
  const positions = database?.models.get(positionModelName);
  const isLimited = Object.values(models).some(
    ({ changes }) => typeof changes === "object" && changes.retention !== undefined,
  );
  if (database === undefined || positions === undefined || !isLimited) return;
  // An unavailable database is reported elsewhere.
  const rows = await database
    .of(positions)
    .findMany({ select: { name: true } })
    .catch(() => []);
  const orphaned = rows.map(({ name }) => String(name)).filter((name) => !consumers.includes(name));
  for (const name of orphaned)
    logger.warn(
      { position: name },
      `No subscriber of this process reads the changes after the position ${name}, so the retention deletes none of them. If it does not exist any more, run npx service changes forget ${name}.`,
    );
}
