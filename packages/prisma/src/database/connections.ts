/** The connections under a Prisma client, as far as they are asked past it. */
export interface Connections {
  /** Asks the database over a connection of its own, so that a pool in full use says nothing about the database. */
  ask(statement: string): Promise<readonly unknown[]>;
  /** Closes what {@link ask} opened, and connections that the Prisma client has not used. */
  end(): Promise<void>;
}
