/** Makes and checks bcrypt hashes away from the event loop. */
export interface Bcrypt {
  hash(password: string, cost: number): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
  /** Ends what runs in the background. */
  close(): Promise<void>;
}
