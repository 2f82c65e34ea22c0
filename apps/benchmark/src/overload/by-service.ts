import type { Server } from "node:http";
import { serveShopWithAccounts } from "../logins/by-service.js";

/** The built example with accounts and its log; with or without load shedding. */
export const serveOverloaded = (example: string, isShedding: boolean): Promise<Server> =>
  serveShopWithAccounts(example, {
    middlewares: { rateLimit: false },
    ...(isShedding ? { loadShedding: {} } : {}),
  });
