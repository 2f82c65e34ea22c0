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
} from "../query-args.js";
import type { Query, Result, SeenModels } from "./executor.js";

/**
 * The rows of one model. Arguments are Prisma's own; every failure is an `HttpError` of contract C17, or the error
 * itself where it is a fault of the service.
 */
export interface Delegate {
  /**
   * Runs a query whose rows become a response. The methods below run the same queries and return rows.
   *
   * @param seen the models for the JSON of the rows; without it, and if the engine has no JSON for the query, the result has rows
   */
  execute(query: Query, seen?: SeenModels): Promise<Result>;
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
  /** Creates all rows or none, in one statement where another than Prisma writes, or fifty to one, and returns them. */
  createMany(args: CreateManyArgs): Promise<readonly Row[]>;
  /**
   * Updates the row with a unique key and returns it.
   *
   * @throws {HttpError} 404 if the row does not exist
   */
  update(args: UpdateArgs): Promise<Row>;
  /** Updates every row that meets the condition and returns them. */
  updateMany(args: UpdateManyArgs): Promise<readonly Row[]>;
  /**
   * Updates each row its own way, all or none, and returns the rows in the order of the changes: in one statement where
   * {@link DatabaseSettings.schema} is known, otherwise in one for each row. Where one is missing nothing is changed.
   *
   * @throws {HttpError} 404 when a row is missing
   */
  updateEach(args: UpdateEachArgs): Promise<readonly Row[]>;
  /**
   * Locks the row that `where` names by its model's key until the transaction ends (`SELECT … FOR UPDATE`): what is read
   * of it from then on is what a write of the same transaction changes. Other conditions in `where` are left aside.
   *
   * @returns whether there is such a row
   * @throws {TypeError} outside a transaction, where a lock would be gone at once
   */
  lock(where: Clause): Promise<boolean>;
  /**
   * Locks the rows that are to be written together, in the order of their keys, until the transaction ends: requests that
   * name the same rows in another order wait, where they would lock each other out. Rows that are not there are passed
   * over. Where {@link DatabaseSettings.schema} is not known, and for a single row, nothing is locked.
   *
   * @param options.forDelete for rows that go, or whose keys change: then nobody may begin to refer to them
   * @throws {TypeError} outside a transaction, where a lock would be gone at once
   */
  lockEach(wheres: readonly Clause[], options?: { readonly forDelete?: boolean }): Promise<void>;
  /**
   * Deletes the row with a unique key and returns it.
   *
   * @throws {HttpError} 404 if the row does not exist
   */
  delete(args: DeleteArgs): Promise<Row>;
  /** Deletes every row that meets the condition and returns their number. */
  deleteMany(args: DeleteManyArgs): Promise<number>;
}
