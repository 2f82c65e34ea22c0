/** A database that `createDatabase` created. */
export interface CreatedDatabase {
  readonly url: string;
  readonly name: string;
  /** Terminates every connection to the database, on PostgreSQL, and drops it. */
  drop(): Promise<void>;
}
