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
} from "./query-args.js";

/**
 * The rows of one model. Arguments are Prisma's own; every failure is an `HttpError` of contract C17, or the error
 * itself where it is a fault of the service.
 */
export interface Delegate {
  findMany(args?: ReadArgs): Promise<readonly Row[]>;
  findFirst(args?: ReadArgs): Promise<Row | null>;
  findUnique(args: UniqueArgs): Promise<Row | null>;
  count(args?: CountArgs): Promise<number>;
  create(args: CreateArgs): Promise<Row>;
  /** Creates all rows or none, in as few statements as the bind limit allows, and returns them. */
  createMany(args: CreateManyArgs): Promise<readonly Row[]>;
  update(args: UpdateArgs): Promise<Row>;
  /** Updates every row that meets the condition and returns them. */
  updateMany(args: UpdateManyArgs): Promise<readonly Row[]>;
  /**
   * Updates each row its own way, all or none, and returns the rows in the order of the changes: in one statement where
   * {@link DatabaseSettings.schema} is known, otherwise in one for each row.
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
  delete(args: DeleteArgs): Promise<Row>;
  /** Deletes every row that meets the condition and returns their number. */
  deleteMany(args: DeleteManyArgs): Promise<number>;
}
