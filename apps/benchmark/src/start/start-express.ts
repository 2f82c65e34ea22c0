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

/** An Express application with a Prisma client for the models of the example and one route, until it listens. */
export async function startExpress(example: string): Promise<Server> {
  const { PrismaClient }: Generated = await import(
    pathToFileURL(path.join(example, "dist", "generated", "prisma", "client.js")).href
  );
  const client = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL ?? "" }) });
  const app = express();
  app.use(express.json());
  // The benchmark's own client has other models: this one is the example's.
  const { tag } = client as unknown as { tag: { findMany(args: object): Promise<unknown[]> } };
  app.get("/api/tags", async (_request, response) => {
    response.json({ data: await tag.findMany({ take: 20, orderBy: { id: "asc" } }) });
  });
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
