/** The connections of a Prisma client's adapter. */
export interface Connections {
  /** Queries the database over a separate connection, so that a fully used pool does not matter. */
  query(statement: string): Promise<readonly unknown[]>;
  /**
   * Receives the notifications of a channel (`LISTEN`) over a connection of its own.
   *
   * @param channel the name of the channel
   * @param receive called with the payload of each notification
   * @param onEnd called once when the connection is lost
   * @returns closes the connection
   */
  listen?(channel: string, receive: (payload: string) => void, onEnd: () => void): Promise<() => Promise<void>>;
  /** Closes the connection of {@link query}, and connections that the Prisma client has not used; not those of {@link listen}. */
  end(): Promise<void>;
}

/** The load of an adapter's connections. */
export interface PoolState {
  /** Maximum number of connections. */
  readonly size: number;
  /** Connections in use, or being opened for a waiting request. */
  readonly used: number;
  /** Idle connections. */
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}
