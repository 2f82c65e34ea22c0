/** The client that waits for a password, and whether it still does. */
export interface WaitingClient {
  /** The key by which clients alternate. */
  readonly address: string;
  /** Aborts the waiting when the client has disconnected. */
  readonly signal: AbortSignal;
}
