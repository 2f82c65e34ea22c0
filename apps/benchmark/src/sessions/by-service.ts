import type { Server } from "node:http";
import { serveShopWithAccounts } from "../logins/by-service.js";

/** The built example with accounts: with sessions, as its schema has them, or as if it had none. */
export const serveSessions = (example: string, hasSessions: boolean): Promise<Server> =>
  serveShopWithAccounts(example, hasSessions ? {} : { leftOut: "AuthSession" });
