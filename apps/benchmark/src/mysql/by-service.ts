import type { Server } from "node:http";
import service from "@servicekit/service";
import { PrismaClient } from "../generated/mysql/prisma/client.js";
import { models } from "../generated/mysql/service/models.js";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";

/** The shop as a service on MySQL or MariaDB. */
export async function serveMysqlByService(): Promise<Server> {
  const { server } = await service.create({
    middlewares: sameMiddlewares,
    // As long as the driver waits by default.
    timeouts: { poolWait: 10_000 },
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models },
  });
  return server;
}
