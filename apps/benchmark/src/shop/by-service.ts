import type { Server } from "node:http";
import service from "@servicekit/service";
import { sameMiddlewares } from "../by-hand/same-middlewares.js";
import { PrismaClient } from "../generated/prisma/client.js";
import { models } from "../generated/service/models.js";

/** The shop as a service: no line of code for any route. */
export async function serveShopByService(engine: "auto" | "prisma"): Promise<Server> {
  const { server } = await service.create({
    middlewares: sameMiddlewares,
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models, engine },
  });
  return server;
}
