import type { PostgresAdapter } from "../../packages/prisma/src/postgres/index.js";

const adapters = new WeakMap<object, PostgresAdapter>();

/** Records the adapter of a client, which no public API of Prisma returns. */
export function withAdapter<Client extends object>(client: Client, adapter: PostgresAdapter): Client {
  adapters.set(client, adapter);
  return client;
}

/**
 * The recorded adapter of a client.
 *
 * @throws if none was recorded
 */
export function adapterOf(client: object): PostgresAdapter {
  const adapter = adapters.get(client);
  if (adapter === undefined) throw new Error("The client was created without withAdapter.");
  return adapter;
}
