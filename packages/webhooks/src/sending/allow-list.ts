import net from "node:net";
import ipaddr from "ipaddr.js";

type Network = ReturnType<typeof ipaddr.parseCIDR>;
/** An IPv4 or IPv6 address. */
export type Address = ReturnType<typeof ipaddr.parse>;

/** Targets that are allowed although they are not public. */
export interface AllowList {
  /** Whether a host is listed by its name. */
  hasHost(host: string): boolean;
  /** Whether an address is listed, or is of a listed network. */
  hasAddress(address: Address): boolean;
}

/**
 * Reads the entries of `webhooks.allow`: host names, addresses and networks.
 *
 * @throws {TypeError} for an entry of no known form, naming it
 */
export function readAllowList(entries: readonly string[]): AllowList {
  const hosts = new Set<string>();
  const networks: Network[] = [];
  for (const entry of entries) {
    const network = readNetwork(entry);
    if (network !== undefined) networks.push(network);
    else hosts.add(readHost(entry));
  }
  return {
    hasHost: (host) => hosts.has(host),
    // `match` throws for a network of the other family.
    hasAddress: (address) =>
      networks.some(([base, length]) => base.kind() === address.kind() && address.match([base, length] as never)),
  };
}

function readNetwork(entry: string): Network | undefined {
  if (net.isIP(entry) !== 0) {
    const address = ipaddr.process(entry);
    return [address, address.kind() === "ipv4" ? 32 : 128] as Network;
  }
  const [base = ""] = entry.split("/");
  return net.isIP(base) !== 0 && ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : undefined;
}

/** Other forms of the name, such as `LOCALHOST` or `bücher.example`, are read as those of a URL. */
function readHost(entry: string): string {
  const url = URL.canParse(`https://${entry}`) ? new URL(`https://${entry}`) : undefined;
  const isHost = url !== undefined && !/[/?#@:\\\s]/.test(entry) && net.isIP(url.hostname) === 0;
  if (!isHost) throw new TypeError(`Invalid entry ${JSON.stringify(entry)}.`);
  return url.hostname;
}
