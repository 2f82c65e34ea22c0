// What the service is made of. Settings stand in service.config.ts, what belongs to one model in src/modules.
import type { ServiceInitConfig } from "@servicekit/service";
import { PrismaClient } from "./generated/prisma/client.js";
import { models } from "./generated/service/models.js";
import { summary } from "./routes/summary.js";

export const app = {
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter }) },
  use: [summary],
  // What a module in src/modules says of its model can also stand here.
  models: {
    Comment: { auth: { read: false, createOne: true, write: ["STAFF"] } },
    Tag: { auth: { read: false, write: ["STAFF"] } },
  },
} satisfies ServiceInitConfig;
