import type { Server } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import service, { type ServiceInitConfig } from "@servicekit/service";

interface Shop {
  makeShopConfig(accounts: unknown): ServiceInitConfig;
}
interface Accounts {
  readAccounts(name: string): { readonly authentication: NonNullable<ServiceInitConfig["authentication"]> };
}

export const serveLoginsByService = (example: string): Promise<Server> => serveShopWithAccounts(example);

/**
 * The built example with static accounts, no rate limit in the way, over the database of `DATABASE_URL`.
 *
 * @param more routes besides, and what the configuration says besides
 */
export async function serveShopWithAccounts(
  example: string,
  { use = [], ...more }: Pick<ServiceInitConfig, "use" | "loadShedding" | "middlewares"> = {},
): Promise<Server> {
  const load = <T>(...file: string[]): Promise<T> => import(pathToFileURL(path.join(example, "dist", ...file)).href);
  const { makeShopConfig } = await load<Shop>("app.js");
  const { readAccounts } = await load<Accounts>("accounts", "accounts.js");
  const accounts = readAccounts("static");
  const shop = makeShopConfig(accounts);
  const { server } = await service.create(
    {
      ...shop,
      use: [...(shop.use ?? []), ...use],
      authentication: { ...accounts.authentication, rateLimit: { windowMs: 1000, limit: 1_000_000 } },
      middlewares: { rateLimit: false, requestLogger: false },
      ...more,
    },
    { directory: import.meta.dirname },
  );
  return server;
}
