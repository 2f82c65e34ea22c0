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

interface MoreOfTheShop extends Pick<ServiceInitConfig, "use" | "loadShedding" | "middlewares"> {
  readonly leftOut?: string;
}

export const serveLoginsByService = (example: string): Promise<Server> => serveShopWithAccounts(example);

/**
 * The built example with static accounts, without an effective rate limit, with the database of `DATABASE_URL`.
 *
 * @param more additional routes and configuration, and a model to remove from the schema
 */
export async function serveShopWithAccounts(
  example: string,
  { use = [], leftOut, ...more }: MoreOfTheShop = {},
): Promise<Server> {
  const load = <T>(...file: string[]): Promise<T> => import(pathToFileURL(path.join(example, "dist", ...file)).href);
  const { makeShopConfig } = await load<Shop>("app.js");
  const { readAccounts } = await load<Accounts>("accounts", "accounts.js");
  const accounts = readAccounts("static");
  const shop = makeShopConfig(accounts);
  const { server } = await service.init(
    {
      ...shop,
      port: 0,
      ...(leftOut === undefined ? {} : { database: without(shop.database, leftOut) }),
      use: [...(shop.use ?? []), ...use],
      authentication: { ...accounts.authentication, rateLimit: { windowMs: 1000, limit: 1_000_000 } },
      middlewares: { rateLimit: false, requestLogger: false },
      ...more,
    },
    { directory: import.meta.dirname },
  );
  return server;
}

function without<D extends ServiceInitConfig["database"]>(database: D, name: string): D {
  if (database === undefined) throw new Error("The shop has no models.");
  const models = database.models.models
    .filter((model) => model.name !== name)
    .map((model) => ({ ...model, fields: model.fields.filter((field) => field.type !== name) }));
  return { ...database, models: { ...database.models, models } };
}
