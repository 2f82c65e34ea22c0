import type { ServiceConfig } from "./service-config.js";

type ProxyTrust = NonNullable<ServiceConfig["trustProxy"]>;

/** A string such as that of `TRUST_PROXY` has the meaning of the value: `true`, a number of proxies, or addresses. */
export function readProxyTrust(given: ServiceConfig["trustProxy"]): ProxyTrust | undefined {
  if (typeof given !== "string") return given;
  const text = given.trim();
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}
