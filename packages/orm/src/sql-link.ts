/** A row as PostgreSQL tells it: each column as its text. */
export type TextRow = readonly (string | null)[];

/** Asks the database past the Prisma client, over the client's own connections. */
export interface SqlLink {
  /** Whether there are connections already; Prisma makes them with its first query. */
  isOpen(): boolean;
  /** Each column as its text. */
  query(sql: string, values: readonly unknown[]): Promise<readonly TextRow[]>;
  /** A decimal number as the client's rows hold it. */
  decimal(text: string): unknown;
}
