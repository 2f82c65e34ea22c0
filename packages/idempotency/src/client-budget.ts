/** Maximum bytes of responses stored for one client per day; later ones are stored without their bodies. */
export const maxBytesPerClient = 16 * 1024 * 1024;

/** Maximum number of counted clients; the oldest is dropped first. */
const maxClients = 10_000;

/** How much is stored for each client. */
export interface ClientBudget {
  /** Returns whether so many more bytes may be stored for a client, and counts them. */
  take(client: string, bytes: number): boolean;
}

/**
 * Limits the storage that one client can use: responses are stored for a day, and each can have a megabyte. It counts
 * in the memory of this process, because it limits costs and guarantees nothing.
 */
export function makeClientBudget(maxBytes = maxBytesPerClient, windowMs = 86_400_000): ClientBudget {
  const spent = new Map<string, { readonly since: number; bytes: number }>();
  return {
    take(client, bytes) {
      const now = Date.now();
      const known = spent.get(client);
      if (known !== undefined && now - known.since < windowMs) {
        if (known.bytes + bytes > maxBytes) return false;
        known.bytes += bytes;
        return true;
      }
      spent.delete(client);
      if (bytes > maxBytes) return false;
      const [oldest] = spent.size >= maxClients ? spent.keys() : [];
      if (oldest !== undefined) spent.delete(oldest);
      spent.set(client, { since: now, bytes });
      return true;
    },
  };
}
