/** A row as PostgreSQL tells it: each column as its text. */
export type TextRow = readonly (string | null)[];

/** Asks the database past the Prisma client, over the client's own connections. */
export interface SqlLink {
  /** Whether there are connections already; Prisma makes them with its first query. */
  isOpen(): boolean;
  /** Each column as its text. */
  query(sql: string, values: readonly unknown[]): Promise<readonly TextRow[]>;
  /**
   * The same, with each row taken as it comes in, so that the texts of many rows are not held together; rows are taken after
   * {@link SqlLink.query} where a link has it not.
   */
  queryEach?(sql: string, values: readonly unknown[], take: (row: TextRow) => void): Promise<void>;
  /** A decimal number as the client's rows hold it. */
  decimal(text: string): unknown;
}
