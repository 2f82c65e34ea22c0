import { addressOf } from "@servicekit/router/internal";
import type { Request } from "express";
import type { Client } from "../credentials/owner.js";

/** From where a request comes, as it is kept of a session. */
export function clientOf(request: Request): Client {
  // An IPv4 client of a socket that takes both kinds; the zone of a link-local address is a name of this machine's.
  const address = addressOf(request)
    ?.replace(/^::ffff:(?=\d+\.)/, "")
    .split("%", 1)[0];
  return { address, userAgent: request.headers["user-agent"] };
}
