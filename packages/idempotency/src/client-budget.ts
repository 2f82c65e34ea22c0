/** Bytes of responses that are stored for one client in a day: its later ones are stored without their bodies. */
export const maxBytesPerClient = 16 * 1024 * 1024;

/** Clients that are counted at a time; the one that began first is forgotten first. */
const maxClients = 10_000;

/** How much is stored for each client. */
export interface ClientBudget {
  /** Whether so many bytes more may be stored for a client; they count from now on. */
  take(client: string, bytes: number): boolean;
}

/**
 * Bounds what one client can make the service store: responses are kept for a day, and each can have a megabyte. It counts in
 * the memory of this process, since it is a bound of costs and no promise.
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
