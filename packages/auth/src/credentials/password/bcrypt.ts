/** Creates and checks bcrypt hashes outside the event loop. */
export interface Bcrypt {
  /**
   * Returns the bcrypt hash of a password.
   *
   * @param cost the binary logarithm of the number of rounds
   */
  hash(password: string, cost: number): Promise<string>;
  /** Returns whether a password belongs to a hash. */
  verify(password: string, hash: string): Promise<boolean>;
  /** Stops its threads. */
  close(): Promise<void>;
}
