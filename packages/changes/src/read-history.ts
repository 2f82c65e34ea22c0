import type { Database, Model } from "@servicekit/prisma";
import { type Change, changeColumns } from "./change.js";
import { toChanges } from "./response-state.js";

/** Which changes of a row are read. */
export interface RowHistoryPage {
  /** Only changes with a smaller id. @default all changes */
  readonly before?: bigint | undefined;
  /** The maximum number of changes. */
  readonly limit: number;
}

/** Reads the changes of one row, newest first. */
export interface RowHistory {
  /**
   * Reads a page of the changes of one row, newest first.
   *
   * @param model the model of the row
   * @param key the key of the row, as in the path of the API
   */
  read(model: Pick<Model, "name">, key: string, page: RowHistoryPage): Promise<readonly Change[]>;
}

/** What histories are read with. */
export interface RowHistoryOptions {
  readonly database: Database;
  /** The model that stores changes, as {@link readChangeModel} returns it. */
  readonly model: Model;
}

/** Creates a reader of the changes of single rows. It returns states without any access rules. */
export function makeRowHistory({ database, model }: RowHistoryOptions): RowHistory {
  const changes = database.of(model);
  return {
    async read({ name }, key, { before, limit }) {
      const older = before === undefined ? {} : { id: { lt: before } };
      const rows = await changes.findMany({
        where: { model: name, key, ...older },
        orderBy: [{ id: "desc" }],
        take: limit,
        select: changeColumns,
      });
      return toChanges(rows, database.models);
    },
  };
}
