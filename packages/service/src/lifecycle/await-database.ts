import type { Database } from "@servicekit/prisma";
import type { Logger } from "pino";
import { tellMissing } from "../routers/tell-missing.js";
import { connectionRemedy } from "./connection-remedy.js";

/** How long is waited between two tries, in milliseconds: twice as long each time, up to a limit. */
export interface BackOff {
  /** @default 500 */
  readonly first?: number;
  /** @default 30000 */
  readonly most?: number;
}

/**
 * Asks the database when the service starts, and again with growing pauses until it answers (contract C41). Nothing waits
 * for it: the log tells the reason while it is away, and when it is there; and once which tables it lacks then.
 *
 * @returns what ends it
 */
export function awaitDatabase(
  database: Database,
  { logger, root }: { readonly logger: Logger; readonly root: string },
  { first = 500, most = 30_000 }: BackOff = {},
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  const ask = async (pause: number, tries: number): Promise<void> => {
    try {
      await database.ping();
      const missing = await database.missingTables();
      const told = missing.length === 0 ? undefined : await tellMissing(missing, database, root);
      if (isEnded) return;
      if (tries > 0) logger.info({ tries }, "the database is there");
      if (told !== undefined) logger.error(told);
    } catch (error) {
      if (isEnded) return;
      const remedy = connectionRemedy(error);
      logger.warn(
        { err: error, retryMs: pause, ...(remedy === undefined ? {} : { remedy }) },
        "the database is away: the service answers 503 until it is there",
      );
      timer = setTimeout(() => ask(Math.min(pause * 2, most), tries + 1), pause);
      // It keeps no process alive that has nothing else to do.
      timer.unref();
    }
  };
  void ask(first, 0);
  return () => {
    isEnded = true;
    clearTimeout(timer);
  };
}
