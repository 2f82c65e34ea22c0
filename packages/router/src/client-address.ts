import { isIPv4, isIPv6 } from "node:net";
import type { Request } from "express";

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

/**
 * The network of an address, named as `express-rate-limit` names it: that library is loaded for this alone otherwise. An IPv4
 * client of a socket that takes both kinds is named by its own address.
 */
function networkOf(ip: string, bits: number): string {
  const mapped = ip.startsWith("::ffff:") ? ip.slice("::ffff:".length) : ip;
  if (isIPv4(mapped)) return mapped;
  if (!isIPv6(ip)) return ip;
  const groups = groupsOf(ip.split("%", 1)[0] ?? ip);
  const ending = groups.slice(-2);
  const isZero = groups.slice(0, 5).every((group) => group === 0);
  // The second way to write an IPv4 address is no longer used; without dots it may be `::1`.
  if (isZero && (groups[5] === 0xffff || (groups[5] === 0 && ip.includes(".")))) {
    return ending.flatMap((group) => [group >> 8, group & 0xff]).join(".");
  }
  const network = groups.map((group, index) => group & ~(0xffff >> Math.max(0, Math.min(16, bits - 16 * index))));
  return `${shortest(network.map((group) => group.toString(16)).join(":"))}/${bits}`;
}

/** The one way to write an IPv6 address (RFC 5952), as every URL has it. */
const shortest = (ip: string): string => new URL(`http://[${ip}]`).hostname.slice(1, -1);

function groupsOf(ip: string): readonly number[] {
  const [before = "", after] = shortest(ip).split("::");
  const read = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [left, right] = [read(before), read(after ?? "")];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}
