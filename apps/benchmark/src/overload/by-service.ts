import type { Server } from "node:http";
import { serveShopWithAccounts } from "../logins/by-service.js";

/** The built example with accounts; with or without load shedding. */
export const serveOverloaded = (example: string, isShedding: boolean): Promise<Server> =>
  serveShopWithAccounts(example, isShedding ? { loadShedding: {} } : {});
