import { isIPv4 } from "node:net";
import type { Request } from "express";
import { ipKeyGenerator } from "express-rate-limit";

/** The bits of an IPv6 address that name a network: a machine is free to choose all the others. */
const networkBits = 64;

/** The address by which a client is counted: a network's customer has a whole IPv6 /56, so that counts as one. */
export function clientAddress({ ip }: Request): string {
  // The address is gone when the client is.
  if (ip === undefined) return "unknown";
  // Reading one of IPv6 is dear: an IPv4 client of a socket that takes both kinds is named by its own address.
  const mapped = ip.startsWith("::ffff:") ? ip.slice("::ffff:".length) : ip;
  return isIPv4(mapped) ? mapped : ipKeyGenerator(ip);
}

/** The network address of a client: an IPv4 address, or an IPv6 /64. */
export function clientNetwork(request: Request): string {
  return request.ip === undefined ? "unknown" : ipKeyGenerator(request.ip, networkBits);
}
