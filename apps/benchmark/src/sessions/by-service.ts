import type { Server } from "node:http";
import { serveShopWithAccounts } from "../logins/by-service.js";

/** The built example with accounts: with the sessions of its schema, or without. */
export const serveSessions = (example: string, hasSessions: boolean): Promise<Server> =>
  serveShopWithAccounts(example, hasSessions ? {} : { leftOut: "AuthSession" });
