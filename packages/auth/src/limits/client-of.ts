import { addressOf } from "@servicekit/router/internal";
import type { Request } from "express";
import type { Client } from "../credentials/owner.js";

/** The client of a request, as stored in a session. */
export function clientOf(request: Request): Client {
  // An IPv4 client of a dual-stack socket; the zone of a link-local address is local to this machine.
  const address = addressOf(request)
    ?.replace(/^::ffff:(?=\d+\.)/, "")
    .split("%", 1)[0];
  return { address, userAgent: request.headers["user-agent"] };
}
