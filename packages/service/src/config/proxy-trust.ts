import { StartupError } from "@servicekit/core";
import type { Express } from "express";
import type { ServiceConfig } from "./service-config.js";

type ProxyTrust = NonNullable<ServiceConfig["trustProxy"]>;

/** A string such as that of `TRUST_PROXY` has the meaning of the value: `true`, a number of proxies, or addresses. */
export function readProxyTrust(given: ServiceConfig["trustProxy"]): ProxyTrust | undefined {
  if (typeof given !== "string") return given;
  const text = given.trim();
  if (text === "true" || text === "false") return text === "true";
  return /^\d+$/.test(text) ? Number(text) : text;
}

/**
 * Sets the proxies that Express trusts.
 *
 * @throws {StartupError} if Express does not accept them
 */
export function setProxyTrust(app: Express, trust: ProxyTrust | undefined): void {
  try {
    app.set("trust proxy", trust ?? false);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const expected = "true, false, a number of proxies, or addresses and networks such as 10.0.0.0/8 or loopback";
    throw new StartupError([{ where: "trustProxy", message: `${reason}. Expected ${expected}.` }]);
  }
}
