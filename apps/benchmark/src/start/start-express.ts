import { once } from "node:events";
import type { Server } from "node:http";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { PrismaPg } from "@prisma/adapter-pg";
import express from "express";
import type { PrismaClient } from "../generated/prisma/client.js";

interface Generated {
  readonly PrismaClient: typeof PrismaClient;
}

/** An Express application with a Prisma client for the example's models, one route and nothing else, until it listens. */
export async function bootByHand(shop: string): Promise<Server> {
  const { PrismaClient }: Generated = await import(
    pathToFileURL(path.join(shop, "generated", "prisma", "client.js")).href
  );
  const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL ?? "" });
  const app = express();
  app.locals.client = new PrismaClient({ adapter });
  app.use(express.json());
  app.get("/api", (_request, response) => void response.json({ message: "Welcome" }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
