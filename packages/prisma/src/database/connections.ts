/** The connections of a Prisma client's adapter. */
export interface Connections {
  /** Queries the database over a separate connection, so that a fully used pool does not matter. */
  query(statement: string): Promise<readonly unknown[]>;
  /** Closes the connection of {@link query}, and connections that the Prisma client has not used. */
  end(): Promise<void>;
}
