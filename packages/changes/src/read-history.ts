import type { Database, Model } from "@servicekit/prisma";
import { type Change, changeColumns } from "./change.js";
import { isTooLarge, readUnlimited } from "./large-batches.js";
import { toChanges } from "./response-state.js";

/** Which changes of a row are read. */
export interface RowHistoryPage {
  /** Only changes with a smaller id. @default all changes */
  readonly before?: bigint | undefined;
  /** The maximum number of changes. */
  readonly limit: number;
}

/** Changes of one row, newest first. */
export interface RowHistoryBatch {
  readonly changes: readonly Change[];
  /** Whether older changes may follow. */
  readonly hasMore: boolean;
}

/** Reads the changes of one row, newest first. */
export interface RowHistory {
  /**
   * Reads changes of one row, newest first: fewer than the limit if they are large, at least one of any size.
   *
   * @param model the model of the row
   * @param key the key of the row, as in the path of the API
   */
  read(model: Pick<Model, "name">, key: string, page: RowHistoryPage): Promise<RowHistoryBatch>;
}

/** What histories are read with. */
export interface RowHistoryOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
}

/** Creates a reader of the changes of single rows. It returns states without any access rules. */
export function makeRowHistory({ database, model }: RowHistoryOptions): RowHistory {
  return {
    async read({ name }, key, { before, limit }) {
      const older = before === undefined ? {} : { id: { lt: before } };
      const read = (from: Database, take: number): Promise<readonly unknown[]> =>
        from.of(model).findMany({
          where: { model: name, key, ...older },
          orderBy: [{ id: "desc" }],
          ...{ take, select: changeColumns },
        });
      for (let size = limit; ; size = Math.ceil(size / 2)) {
        try {
          const rows = await read(database.reads, size);
          return { changes: toChanges(rows, database.models), hasMore: rows.length === size };
        } catch (error) {
          if (!isTooLarge(error)) throw error;
          if (size > 1) continue;
          const rows = await readUnlimited(database, (inside) => read(inside, 1));
          return { changes: toChanges(rows, database.models), hasMore: rows.length === 1 };
        }
      }
    },
  };
}
