/** Data that a client has not read. */
export interface Unread {
  bytes(): number;
  disconnect(): void;
}

/** Limits the unread bytes of all streams of a process. */
export interface UnreadLimit {
  /** Adds the data of a client that has to read; while the limit is exceeded, it disconnects those that have not read for longest. */
  add(unread: Unread): void;
  /** Removes the data of a client that has read enough, or has disconnected. */
  remove(unread: Unread): void;
}

const defaultBytes = 64 * 1024 * 1024;

/** Creates an {@link UnreadLimit}. */
export function limitUnread(maxBytes = defaultBytes): UnreadLimit {
  // In the order in which the clients have stopped to read.
  const waiting = new Set<Unread>();
  return {
    add(unread) {
      waiting.add(unread);
      let total = 0;
      for (const one of waiting) total += one.bytes();
      for (const one of waiting) {
        if (total <= maxBytes) return;
        total -= one.bytes();
        waiting.delete(one);
        one.disconnect();
      }
    },
    remove: (unread) => void waiting.delete(unread),
  };
}
