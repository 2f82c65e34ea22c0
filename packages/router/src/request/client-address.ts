import { isIPv4, isIPv6 } from "node:net";
import type { Request } from "express";
import { ipKeyGenerator } from "express-rate-limit";

/** The prefix lengths of an IPv6 address for a customer's network, and for one network. */
const customerBits = 56;
const networkBits = 64;

/** The address by which a client is counted: a customer has a complete IPv6 /56, so that counts as one. */
export function clientAddress(request: Request): string {
  const ip = addressOf(request);
  // The address is unavailable after a disconnect.
  return ip === undefined ? "unknown" : networkOf(ip, customerBits);
}

/** The network of a client: an IPv4 address, or an IPv6 /64, because a machine can choose all other bits. */
export function clientNetwork(request: Request): string {
  const ip = addressOf(request);
  return ip === undefined ? "unknown" : networkOf(ip, networkBits);
}

/**
 * The IP address of a request, without the port that some proxies write into `X-Forwarded-For`: `1.2.3.4:5001`,
 * `[2001:db8::1]:5001`.
 */
export function addressOf({ ip }: Request): string | undefined {
  if (ip === undefined || isIPv6(ip)) return ip;
  const [, bracketed, plain] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{1,5})?$/.exec(ip) ?? [];
  if (bracketed !== undefined && isIPv6(bracketed)) return bracketed;
  return plain !== undefined && isIPv4(plain) ? plain : ip;
}

/** The network of an address as `express-rate-limit` computes it, which takes more time for IPv4 addresses. */
function networkOf(ip: string, bits: number): string {
  const mapped = ip.startsWith("::ffff:") ? ip.slice("::ffff:".length) : ip;
  return isIPv4(mapped) ? mapped : ipKeyGenerator(ip, bits);
}
