import type { ServiceInitConfig } from "@servicekit/service";
import type { Accounts } from "./accounts/access-rules.js";
import { noAccounts } from "./accounts/none.js";
import { PrismaClient } from "./generated/prisma/client.js";
import { models } from "./generated/service/models.js";
import { makeBestSellersRouter } from "./routes/best-sellers.js";
import { makeShipOrderRouter } from "./routes/ship-order.js";

/**
 * The shop: eight operations for every model of the schema, and two custom routes. The rest of its configuration is in
 * service.config.ts.
 *
 * @param accounts the access rules; without them everything is open
 */
export function makeShopConfig({ authentication, models: rules, routes }: Accounts = noAccounts) {
  return {
    database: {
      client: ({ adapter }) => new PrismaClient({ adapter }),
      models,
    },
    ...(authentication === undefined ? {} : { authentication }),
    models: rules,
    use: [makeBestSellersRouter(routes.bestSellers), makeShipOrderRouter(routes.shipOrder)],
  } satisfies ServiceInitConfig;
}
