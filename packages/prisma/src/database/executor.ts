import type { AggregateArgs } from "../aggregates/aggregate-args.js";
import type { Model, Models, StoredField } from "../models/model.js";
import type {
  Clause,
  CountArgs,
  CreateArgs,
  CreateManyArgs,
  DeleteArgs,
  DeleteManyArgs,
  ReadArgs,
  Row,
  UniqueArgs,
  UpdateArgs,
  UpdateEachArgs,
  UpdateManyArgs,
} from "../queries/query-args.js";
import type { HeadlineArgs } from "../search/headline-sql.js";
import type { PrismaHandle } from "./prisma-client-like.js";

/** A read of the rows of one model, with the arguments of Prisma Client. */
export type ReadQuery =
  | {
      readonly operation: "findMany";
      readonly args: ReadArgs;
      /** Rows that are counted as well. */
      readonly total?: CountArgs | undefined;
      /** Whether the number of counted rows may be the estimate of the database, if it has one. */
      readonly mayEstimate?: boolean | undefined;
      /** The maximum number of rows in the JSON; further rows are only counted in {@link JsonResult.found}. */
      readonly shown?: number | undefined;
    }
  | { readonly operation: "findFirst"; readonly args: ReadArgs }
  | { readonly operation: "findUnique"; readonly args: UniqueArgs }
  | { readonly operation: "count"; readonly args: CountArgs }
  /** The number of rows that the planner of the database expects. */
  | { readonly operation: "estimate"; readonly args: Pick<CountArgs, "where"> }
  /** The groups of rows with their measures, as JSON; at most `shown`, while further ones are only counted. */
  | { readonly operation: "aggregate"; readonly args: AggregateArgs; readonly shown: number }
  /** Excerpts of texts, as rows with a `headline`; they are no rows of the model. */
  | { readonly operation: "headline"; readonly args: HeadlineArgs };

/** A write of rows of one model, which returns them. */
export type WriteQuery =
  | { readonly operation: "create"; readonly args: CreateArgs }
  /** All rows or none, in the order of `data`. */
  | { readonly operation: "createMany"; readonly args: CreateManyArgs }
  | { readonly operation: "update"; readonly args: UpdateArgs }
  /** Each row its own changes, all rows or none, in the order of `changes`. */
  | { readonly operation: "updateEach"; readonly args: UpdateEachArgs }
  | { readonly operation: "delete"; readonly args: DeleteArgs };

/** A query of the rows of one model. */
export type Query = ReadQuery | WriteQuery;

/** Whether a query changes nothing. */
export const isRead = (query: Query | RecordedWrite): query is ReadQuery => !Object.hasOwn(writeKinds, query.operation);

/** The models as a client sees them: fields that are hidden in them are left out of JSON. */
export interface SeenModels {
  readonly model: Model;
  readonly models: Models;
}

/** Rows as objects. A query for one row that does not exist has none. */
export interface RowsResult {
  readonly rows: readonly Row[];
  /** The number of counted rows, if the query counts rows. */
  readonly total?: number | undefined;
  /** Whether that number is an estimate. */
  readonly isEstimated?: boolean | undefined;
}

/** Rows as the JSON of a response (contract C4). */
export interface JsonResult {
  /** A list for queries of many rows, else the row; `null` for a row that does not exist. A long text is in UTF-8. */
  readonly json: string | Buffer;
  /** The number of rows found. */
  readonly found: number;
  /** Of a list: the JSON of the last row in it. */
  readonly last?: string | undefined;
  /** Of a written row: the selected values of its key. */
  readonly key?: Row;
  /** The number of counted rows, if the query counts rows and its statement returned the number. */
  readonly total?: number | undefined;
  /** Whether that number is an estimate. */
  readonly isEstimated?: boolean | undefined;
}

/** The result of a query: rows, or their JSON. */
export type Result = RowsResult | JsonResult;

/** How many rows a query found. */
export const foundRows = (result: Result): number => ("json" in result ? result.found : result.rows.length);

/** Runs queries. Every query of a database is run by one, so that SQL can replace Prisma Client. */
export interface Executor {
  /**
   * Prepares a query; nothing is sent before the returned function is called. Errors are those of the driver.
   *
   * @param seen the models for the JSON; without it, and where the engine has no JSON, the result has rows
   * @returns `undefined` if one query of this engine cannot do it
   */
  prepare(model: Model, query: Query, seen?: SeenModels): (() => Promise<Result>) | undefined;
  /**
   * Prepares a write that stores the changes of its rows in the same statement.
   *
   * @returns `undefined` if one statement of this engine cannot do it
   */
  prepareRecorded?(
    model: Model,
    query: RecordedWrite,
    entry: ChangeEntry,
    seen?: SeenModels,
  ): (() => Promise<Result>) | undefined;
}

/** A write whose changes are stored with it. A delete of many rows returns none, but their number as the total. */
export type RecordedWrite =
  | WriteQuery
  /** All rows that match. */
  | { readonly operation: "updateMany"; readonly args: UpdateManyArgs }
  | { readonly operation: "deleteMany"; readonly args: DeleteManyArgs };

/** What a write does with each of its rows. */
export type WriteKind = "create" | "update" | "delete";

/** What writes do with their rows. */
export const writeKinds: Readonly<Record<RecordedWrite["operation"], WriteKind>> = {
  create: "create",
  createMany: "create",
  update: "update",
  updateEach: "update",
  updateMany: "update",
  delete: "delete",
  deleteMany: "delete",
};

/** The changes of rows that are stored with their write. */
export interface ChangeEntry {
  /** The model that stores changes. */
  readonly changes: Model;
  /** The values of the changes that do not depend on their rows. */
  readonly data: Clause;
  /** The recorded fields. */
  readonly fields: readonly StoredField[];
}

/** Creates the executor of a client; called again with the client of each transaction. */
export type MakeExecutor = (client: PrismaHandle) => Executor;
