import { withTimeLimit } from "@servicekit/core/internal";
import type { Client } from "pg";
import type { HostAddress } from "./connection-string.js";

/** The host that accepts writes, among several. */
export interface WritableHost {
  /**
   * Returns the host that accepted writes last, or searches for it.
   *
   * @throws if no host accepts writes
   */
  find(probe: (host: HostAddress) => Promise<boolean>): Promise<HostAddress>;
  /** Records that a host accepts no connections or no writes. */
  lose(host: HostAddress): void;
}

/** Creates the state of a list of hosts, which the connections of all pools of an adapter share. */
export function makeWritableHost(hosts: readonly HostAddress[]): WritableHost {
  let known: HostAddress | undefined;
  let searching: Promise<HostAddress> | undefined;
  return {
    find: async (probe) => {
      if (known !== undefined) return known;
      const accepts = async (host: HostAddress): Promise<HostAddress> => {
        if (!(await probe(host))) throw new Error("This host accepts no writes.");
        return host;
      };
      searching ??= Promise.any(hosts.map(accepts))
        .then((host) => {
          known = host;
          return host;
        })
        .catch((cause: unknown) => {
          throw new Error("Connection terminated: no host of the connection string accepts writes.", { cause });
        })
        .finally(() => {
          searching = undefined;
        });
      return searching;
    },
    lose: (host) => {
      if (known === host) known = undefined;
    },
  };
}

/** Whether a session accepts writes: not on a standby, and not with `default_transaction_read_only`. */
export async function acceptsWrites(client: Client): Promise<boolean> {
  const { rows } = await client.query({ text: "SHOW transaction_read_only", rowMode: "array" });
  return (rows as string[][])[0]?.[0] === "off";
}

/** Connects to a host, or to that of the configuration, and returns whether it accepts writes. */
export async function probeHost(
  Base: typeof Client,
  config: ConstructorParameters<typeof Client>[0],
  host: HostAddress | undefined,
  timeoutMs: number,
): Promise<boolean> {
  const client = new Base(config);
  Object.assign(client, host);
  // A lost connection also emits an error.
  client.on("error", () => undefined);
  const ask = async (): Promise<boolean> => {
    await client.connect();
    return acceptsWrites(client);
  };
  try {
    return await withTimeLimit(ask(), timeoutMs, () => new Error("The host did not respond in time."));
  } finally {
    client.connection.stream.destroy();
  }
}
