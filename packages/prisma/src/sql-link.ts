/** A row as PostgreSQL tells it: each column as its text. */
export type TextRow = readonly (string | null)[];

/** Asks the database past the Prisma client, over the client's own connections. */
export interface SqlLink {
  /** Whether there are connections already; Prisma makes them with its first query. */
  isOpen(): boolean;
  /**
   * Each column as its text.
   *
   * @param maxBytes ends the statement when PostgreSQL sends more than this, with a {@link ResultTooLarge}
   */
  query(sql: string, values: readonly unknown[], maxBytes?: number): Promise<readonly TextRow[]>;
  /**
   * The same, with each row taken as it comes in, so that the texts of many rows are not held together; rows are taken after
   * {@link SqlLink.query} where a link has it not.
   */
  queryEach?(sql: string, values: readonly unknown[], take: (row: TextRow) => void, maxBytes?: number): Promise<void>;
  /** A decimal number as the client's rows hold it. */
  decimal(text: string): unknown;
}

/** The result of a statement is larger than its limit; no more of it was read. */
export class ResultTooLarge extends Error {
  override readonly name = "ResultTooLarge";

  constructor(
    /** How many rows were read before. */
    readonly rows: number,
  ) {
    super("The result of a statement is larger than its limit.");
  }
}
