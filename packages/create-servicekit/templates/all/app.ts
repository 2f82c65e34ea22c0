// What the service is made of. Settings stand in service.config.ts, what belongs to one model in src/modules.
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
  // What a module in src/modules says of its model can also stand here.
  models: {
    Comment: { auth: { read: false, createOne: true, write: ["STAFF"] } },
    Tag: { auth: { read: false, write: ["STAFF"] } },
  },
//: end
//: if dynamic blog
  // What a module in src/modules says of its model can also stand here. All else asks for a stored permission.
  models: {
    Comment: { auth: { read: false, createOne: true } },
    Tag: { auth: { read: false } },
  },
//: end
//: if static shop
  // What a module in src/modules says of its model can also stand here.
  models: {
    Category: { auth: { read: false, write: ["STAFF"] } },
    Product: { auth: { read: false, write: ["STAFF"] } },
  },
//: end
//: if dynamic shop
  // What a module in src/modules says of its model can also stand here. All else asks for a stored permission.
  models: {
    Category: { auth: { read: false } },
    Product: { auth: { read: false } },
  },
//: end
} satisfies ServiceInitConfig;
