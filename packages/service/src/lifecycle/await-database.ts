import type { ModelConfig } from "@servicekit/model-router";
import type { Logger } from "pino";
import { retriedError } from "../logging/error-reason.js";
import { reportMissing } from "../routers/report-missing.js";
import { blockedValues } from "./blocked-values.js";
import { connectionHint } from "./connection-hint.js";
import { type CheckedDatabase, findDatabaseReports } from "./database-reports.js";
import { orphanedPositions } from "./orphaned-positions.js";

/** The pause between two attempts, in milliseconds: doubled each time, up to a maximum. */
export interface BackOff {
  /** @default 500 */
  readonly first?: number;
  /** @default 30000 */
  readonly max?: number;
}

/** What is checked as soon as the database responds. */
export interface DatabaseContext {
  readonly logger: Logger;
  readonly root: string;
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** The names of the consumers of the change log. */
  readonly consumers: readonly string[];
}

/**
 * Queries the database at startup, and again with growing pauses until it responds (contract C41). Startup does not
 * wait for it: the log has the reason while it is unavailable, and the missing tables when it is available.
 *
 * @returns a function that ends it
 */
export function awaitDatabase(
  checked: CheckedDatabase,
  { logger, root, models, consumers }: DatabaseContext,
  { first = 500, max = 30_000 }: BackOff = {},
): () => void {
  const { database } = checked;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  const connect = async (pause: number, tries: number): Promise<void> => {
    try {
      await database.ping();
      const missing = await database.missingTables();
      const report = missing.length === 0 ? undefined : await reportMissing(missing, database, root);
      const reports = await findDatabaseReports(checked);
      const blocked = report === undefined ? await blockedValues(database, models) : [];
      const orphaned = report === undefined ? await orphanedPositions(database, models, consumers) : [];
      if (isEnded) return;
      if (tries > 0) logger.info({ tries }, "the database is available");
      if (report !== undefined) logger.error(report);
      for (const { where, message } of reports.errors) logger.error(`${where}: ${message}`);
      for (const warning of [...reports.warnings, ...blocked]) logger.warn(warning);
      for (const position of orphaned)
        logger.warn(
          { position },
          `No subscriber of this process reads the changes after the position ${position}, so the retention deletes none of them. If it does not exist any more, run npx service changes forget ${position}.`,
        );
    } catch (error) {
      if (isEnded) return;
      const hint = connectionHint(error);
      logger.warn(
        { ...retriedError(error, tries === 0), retryMs: pause, ...(hint === undefined ? {} : { hint }) },
        "the database is unavailable: the service responds with 503 until it is available",
      );
      timer = setTimeout(() => connect(Math.min(pause * 2, max), tries + 1), pause);
      // It does not keep an otherwise idle process alive.
      timer.unref();
    }
  };
  void connect(first, 0);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
