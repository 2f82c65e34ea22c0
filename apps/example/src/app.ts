import type { ServiceInitConfig } from "@servicekit/service";
import { PrismaClient } from "./generated/prisma/client.js";
import { models } from "./generated/service/models.js";
import { makeBestSellersRouter } from "./routes/best-sellers.js";
import { makeShipOrderRouter } from "./routes/ship-order.js";

/** What `GET /api` says. */
export const welcomeMessage = "Welcome to Harbour & Pine, goods for the outdoors and the kitchen.";

/** The whole shop: eight operations for every model of the schema, and two routes that no model has. */
export function makeShopConfig(): ServiceInitConfig {
  let client: PrismaClient | undefined;
  const database = (): PrismaClient => {
    if (client === undefined) throw new Error("The shop has not started.");
    return client;
  };
  return {
    welcomeMessage,
    database: {
      client: ({ adapter }) => {
        client = new PrismaClient({ adapter });
        return client;
      },
      models,
    },
    use: [makeBestSellersRouter(database), makeShipOrderRouter(database)],
  };
}
