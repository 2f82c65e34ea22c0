/** A row of PostgreSQL: each column as text. */
export type TextRow = readonly (string | null)[];

/** Queries the database over the connections of the Prisma client. */
export interface SqlLink {
  /** Whether there are connections already; Prisma opens them with its first query. */
  isOpen(): boolean;
  /**
   * Each column as text.
   *
   * @param maxBytes aborts the statement if PostgreSQL sends more than this, with a {@link ResultTooLarge}
   */
  query(sql: string, values: readonly unknown[], maxBytes?: number): Promise<readonly TextRow[]>;
  /**
   * The same, with each row passed on as it arrives, so that the texts of many rows are not stored together; without
   * it, rows are passed on after {@link SqlLink.query}.
   */
  queryEach?(sql: string, values: readonly unknown[], take: (row: TextRow) => void, maxBytes?: number): Promise<void>;
  /** A decimal as in the client's rows. */
  decimal(text: string): unknown;
}

/** The result of a statement exceeds its limit; no more of it was read. */
export class ResultTooLarge extends Error {
  override readonly name = "ResultTooLarge";

  constructor(
    /** The number of rows read before. */
    readonly rows: number,
  ) {
    super("The result of a statement exceeds its limit.");
  }
}
