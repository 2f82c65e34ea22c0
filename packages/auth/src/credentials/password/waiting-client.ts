/** Who waits for a password, and whether they still do. */
export interface WaitingClient {
  /** Clients take turns by it. */
  readonly address: string;
  /** Ends the waiting when the client has gone. */
  readonly signal: AbortSignal;
}
