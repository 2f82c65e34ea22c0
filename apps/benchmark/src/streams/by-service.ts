import type { Server } from "node:http";
import service from "@servicekit/service";
import { PrismaClient } from "../generated/prisma/client.js";
import { models } from "../generated/service/models.js";

/** The shop with live updates of products, for users who are signed in. */
export async function serveStreams(): Promise<Server> {
  const { server } = await service.create({
    middlewares: { requestLogger: false, rateLimit: false },
    authentication: { mode: "static", jwt: { secret: "the secret of the benchmark of event streams" } },
    limits: { eventStreams: 10_000, eventStreamsPerClient: 10_000 },
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models },
    models: { Product: { auth: { all: true }, changes: { events: true } } },
  });
  return server;
}
