// The parts of the service. Settings are in service.config.ts, the configuration of each model in src/modules.
//: if class-validator
// Before every class with decorators.
import "reflect-metadata";
//: end
import type { ServiceInitConfig } from "@servicekit/service";
import { PrismaClient } from "./generated/prisma/client.js";
import { models } from "./generated/service/models.js";
import { summary } from "./routes/summary.js";

export const app = {
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
  use: [summary],
//: if static blog
  // The configuration of models can be here or in src/modules.
  models: {
    Tag: { auth: { read: false, write: ["STAFF"] } },
  },
//: end
//: if dynamic blog
  // The configuration of models can be here or in src/modules. Other operations require a stored permission.
  models: {
    Tag: { auth: { read: false } },
  },
//: end
//: if static shop
  // The configuration of models can be here or in src/modules.
  models: {
    Category: { auth: { read: false, write: ["STAFF"] } },
    Product: { auth: { read: false, write: ["STAFF"] } },
  },
//: end
//: if dynamic shop
  // The configuration of models can be here or in src/modules. Other operations require a stored permission.
  models: {
    Category: { auth: { read: false } },
    Product: { auth: { read: false } },
  },
//: end
} satisfies ServiceInitConfig;
