import type { Server } from "node:http";
import service from "@servicekit/service";
import { PrismaClient } from "../generated/prisma/client.js";
import { models } from "../generated/service/models.js";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";

/** The shop without a change log, or with one of products. */
export async function serveChanges(isRecorded: boolean): Promise<Server> {
  const { server } = await service.create({
    middlewares: sameMiddlewares,
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models },
    models: { Product: { changes: isRecorded } },
  });
  return server;
}
