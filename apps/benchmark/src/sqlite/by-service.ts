import type { Server } from "node:http";
import service from "@servicekit/service";
import { PrismaClient } from "../generated/sqlite/prisma/client.js";
import { models } from "../generated/sqlite/service/models.js";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";

/** The shop as a service on SQLite. */
export async function serveSqliteByService(): Promise<Server> {
  const { server } = await service.create({
    middlewares: sameMiddlewares,
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models },
  });
  return server;
}
