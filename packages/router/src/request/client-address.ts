import { isIPv4, isIPv6 } from "node:net";
import type { Request } from "express";
import { ipKeyGenerator } from "express-rate-limit";

/** The bits of an IPv6 address that name the network of a customer, and those that name one network. */
const customerBits = 56;
const networkBits = 64;

/** The address by which a client is counted: a network's customer has a whole IPv6 /56, so that counts as one. */
export function clientAddress(request: Request): string {
  const ip = addressOf(request);
  // The address is gone when the client is.
  return ip === undefined ? "unknown" : networkOf(ip, customerBits);
}

/** The network address of a client: an IPv4 address, or an IPv6 /64; a machine is free to choose all other bits. */
export function clientNetwork(request: Request): string {
  const ip = addressOf(request);
  return ip === undefined ? "unknown" : networkOf(ip, networkBits);
}

/**
 * The IP address from which a request comes, without the port that some proxies write into `X-Forwarded-For`: `1.2.3.4:5001`,
 * `[2001:db8::1]:5001`.
 */
export function addressOf({ ip }: Request): string | undefined {
  if (ip === undefined || isIPv6(ip)) return ip;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(ip) ?? [];
  if (bracketed !== undefined && isIPv6(bracketed)) return bracketed;
  return plain !== undefined && isIPv4(plain) ? plain : ip;
}

/** The network of an address as `express-rate-limit` names it, which needs more time for the addresses of IPv4 clients. */
function networkOf(ip: string, bits: number): string {
  const mapped = ip.startsWith("::ffff:") ? ip.slice("::ffff:".length) : ip;
  return isIPv4(mapped) ? mapped : ipKeyGenerator(ip, bits);
}
