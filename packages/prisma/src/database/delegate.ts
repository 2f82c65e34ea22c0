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
import type { ChangeEntry, Query, RecordedWrite, Result, SeenModels } from "./executor.js";

/**
 * The rows of one model. Arguments are Prisma's own; every failure is an `HttpError` of contract C17, or the original
 * error if it is a bug of the service.
 */
export interface Delegate {
  /**
   * Runs a query whose rows become a response. The methods below run the same queries and return rows.
   *
   * @param seen the models for the JSON of the rows; without it, and if the engine has no JSON for the query, the result has rows
   */
  execute(query: Query, seen?: SeenModels): Promise<Result>;
  /**
   * Writes rows and stores their changes in one statement.
   *
   * @returns `undefined` if one statement of the engine cannot do it: then nothing is written
   */
  executeRecorded(query: RecordedWrite, entry: ChangeEntry, seen?: SeenModels): Promise<Result | undefined>;
  /** Returns all rows that match. */
  findMany(args?: ReadArgs): Promise<readonly Row[]>;
  /** Returns the first row that matches; `null` if there is none. */
  findFirst(args?: ReadArgs): Promise<Row | null>;
  /** Returns the row with a unique key; `null` if there is none. */
  findUnique(args: UniqueArgs): Promise<Row | null>;
  /** Returns the number of rows that match. */
  count(args?: CountArgs): Promise<number>;
  /** Creates a row and returns it. */
  create(args: CreateArgs): Promise<Row>;
  /** Creates all rows or none, in one statement by SQL, or fifty per statement by Prisma, and returns them. */
  createMany(args: CreateManyArgs): Promise<readonly Row[]>;
  /**
   * Updates the row with a unique key and returns it.
   *
   * @throws {HttpError} 404 if the row does not exist
   */
  update(args: UpdateArgs): Promise<Row>;
  /** Updates every row that matches the condition and returns them. */
  updateMany(args: UpdateManyArgs): Promise<readonly Row[]>;
  /**
   * Updates each row with its own values, all or none, and returns the rows in the order of the changes: in one
   * statement if {@link DatabaseSettings.schema} is known, otherwise in one per row. If one is missing, nothing is
   * changed.
   *
   * @throws {HttpError} 404 if a row is missing
   */
  updateEach(args: UpdateEachArgs): Promise<readonly Row[]>;
  /**
   * Locks the row with the key in `where` until the transaction ends (`SELECT … FOR UPDATE`), so that a write in the
   * same transaction changes the row as it was read. Other conditions in `where` are ignored.
   *
   * @returns whether the row exists
   * @throws {TypeError} outside a transaction, where a lock would be released immediately
   */
  lock(where: Clause): Promise<boolean>;
  /**
   * Locks the rows of a write in the order of their keys until the transaction ends, so that requests with the same
   * rows in another order wait instead of deadlocking. Missing rows are ignored. If {@link DatabaseSettings.schema} is
   * unknown, nothing is locked.
   *
   * @param options.forDelete for deleted rows and changed keys: then no new references to them are possible
   * @throws {TypeError} outside a transaction, where a lock would be released immediately
   */
  lockEach(wheres: readonly Clause[], options?: { readonly forDelete?: boolean }): Promise<void>;
  /**
   * Locks rows until the transaction ends, so that no other transaction changes or deletes them meanwhile
   * (`SELECT … FOR SHARE`). If another transaction changes such a row, the lock waits for its end.
   *
   * @param rows different values of the same unique fields
   * @param options.unset the name of a field: other rows than those in which it is null are ignored
   * @returns the number of locked rows
   * @throws {TypeError} outside a transaction, where a lock would be released immediately
   */
  lockShared(rows: readonly Row[], options?: { readonly unset?: string }): Promise<number>;
  /**
   * Compares rows as the database does, by the types and collations of the columns: `a` and `A` are equal in `citext`.
   *
   * @param rows values of the same fields
   * @returns for each row, the index of the first row that is equal to it
   */
  groupEqual(rows: readonly Row[]): Promise<readonly number[]>;
  /**
   * Deletes the row with a unique key and returns it.
   *
   * @throws {HttpError} 404 if the row does not exist
   */
  delete(args: DeleteArgs): Promise<Row>;
  /** Deletes every row that matches the condition and returns their number. */
  deleteMany(args: DeleteManyArgs): Promise<number>;
}
