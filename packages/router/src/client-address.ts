import type { Request } from "express";
import { ipKeyGenerator } from "express-rate-limit";

/** The address by which a client is counted: a network's customer has a whole IPv6 /56, so that counts as one. */
export function clientAddress(request: Request): string {
  // The address is gone when the client is.
  return request.ip === undefined ? "unknown" : ipKeyGenerator(request.ip);
}
