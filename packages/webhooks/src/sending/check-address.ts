import ipaddr from "ipaddr.js";
import type { Address, AllowList } from "./allow-list.js";

const globalUnicast = ipaddr.parseCIDR("2000::/3");

/** Networks that clouds use internally although they are not special addresses of IANA. */
const cloudNetworks = [
  // Azure: the agent of virtual machines, DHCP and DNS.
  "168.63.129.16/32",
  // IBM Cloud: DNS, package mirrors and private endpoints of its services.
  "161.26.0.0/16",
  "166.8.0.0/14",
].map((network) => ipaddr.parseCIDR(network));

/**
 * Whether a request may be sent to an address: a public one, or one that is allowed.
 *
 * @param text an IPv4 or IPv6 address without brackets
 */
export function isAllowedAddress(text: string, allow: AllowList): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv4-mapped address is judged like the IPv4 address that the system connects to.
  const address = ipaddr.process(text);
  return isPublic(address) || allow.hasAddress(address);
}

/** Whether an address is reachable from the whole internet. */
export const isPublicAddress = (text: string): boolean => ipaddr.isValid(text) && isPublic(ipaddr.process(text));

/** Of IPv6 only the assigned range is public: others, such as `::127.0.0.1`, have meanings of their own on some systems. */
function isPublic(address: Address): boolean {
  if (address.range() !== "unicast") return false;
  if (address.kind() === "ipv6") return address.match(globalUnicast as never);
  return !cloudNetworks.some((network) => address.match(network as never));
}
