import net from "node:net";
import ipaddr from "ipaddr.js";
import type { AllowList } from "./allow-list.js";
import { isAllowedAddress } from "./check-address.js";

/** The rules for the URL of an endpoint. */
export interface UrlRules {
  readonly allow: AllowList;
  /** Whether `http:` is allowed only for allowed hosts. */
  readonly requireHttps: boolean;
}

/**
 * The same for every target that is not allowed: a distinction between names that do not resolve and names of private
 * addresses would describe the network of the service to its users.
 */
export const forbiddenHost =
  "The host is not public, or its name does not resolve. Use a public host, or add it to webhooks.allow.";

/** The maximum length of a URL, in characters. */
export const maxUrlLength = 2048;

/**
 * Returns why a URL cannot be the URL of an endpoint; `undefined` for a valid one. Names of hosts are not resolved here:
 * the addresses of each connection are checked when it is opened.
 */
export function urlIssue(text: string, rules: UrlRules): string | undefined {
  if (text.length > maxUrlLength) return `Expected at most ${maxUrlLength} characters.`;
  if (!URL.canParse(text)) return "Expected an absolute URL such as https://example.com/hooks.";
  const { protocol, username, password, port, host, hostname } = new URL(text);
  const name = hostname.replace(/^\[|\]$/g, "");
  if (protocol !== "https:" && protocol !== "http:") return "Expected the scheme https or http.";
  if (username !== "" || password !== "") return "Remove the user and the password: receivers verify the signature.";
  const isAddress = net.isIP(name) !== 0;
  if (isAddress ? rules.allow.hasAddress(ipaddr.process(name)) : rules.allow.hasHost(name)) return undefined;
  if (isAddress ? !isAllowedAddress(name, rules.allow) : isLocalName(name)) return forbiddenHost;
  if (protocol === "http:" && rules.requireHttps) return "Expected the scheme https.";
  if (isReservedPort(port)) return `Expected the port 80, 443, or one above 1023 in ${host}.`;
  return undefined;
}

/** Names that are never public (RFC 6761, RFC 6762, RFC 8375), also with a dot at the end. */
const isLocalName = (name: string): boolean =>
  /(^|\.)(localhost|local|internal|localdomain|home\.arpa)\.?$/.test(name) || !/[^.]\.[^.]/.test(name);

/** The ports of other protocols, such as SMTP: a request could contain commands for them. */
const isReservedPort = (port: string): boolean => port !== "" && port !== "80" && port !== "443" && Number(port) < 1024;
