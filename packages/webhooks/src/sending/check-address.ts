import ipaddr from "ipaddr.js";
import type { Address, AllowList } from "./allow-list.js";

const globalUnicast = ipaddr.parseCIDR("2000::/3");

/**
 * Returns why an address may not be connected to; `undefined` for a public or an allowed one.
 *
 * @param text an IPv4 or IPv6 address without brackets
 */
export function addressIssue(text: string, allow: AllowList): string | undefined {
  if (!ipaddr.isValid(text)) return `${text} is not an address`;
  // An IPv4-mapped address is judged like the IPv4 address that the system connects to.
  const address = ipaddr.process(text);
  if (isPublic(address) || allow.hasAddress(address)) return undefined;
  return `${text} is not a public address (${rangeOf(address)})`;
}

/** Of IPv6 only the assigned range is public: others, such as `::127.0.0.1`, have meanings of their own on some systems. */
const isPublic = (address: Address): boolean =>
  address.range() === "unicast" && (address.kind() === "ipv4" || address.match(globalUnicast as never));

const rangeOf = (address: Address): string => (address.range() === "unicast" ? "reserved" : address.range());
