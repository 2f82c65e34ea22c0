import { once } from "node:events";
import type { Server } from "node:http";
import { ZenStackClient } from "@zenstackhq/orm";
import { PostgresDialect } from "@zenstackhq/orm/dialects/postgres";
import { RestApiHandler, RPCApiHandler } from "@zenstackhq/server/api";
import { ZenStackMiddleware } from "@zenstackhq/server/express";
import express from "express";
import pg from "pg";
import { schema } from "./zenstack-schema.js";

/** An Express application with ZenStack's routes for the models of the example, until it listens. */
export async function startZenStack(): Promise<Server> {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
  const client = new ZenStackClient(schema, { dialect: new PostgresDialect({ pool }) });
  const app = express();
  app.use(express.json());
  const rpc = new RPCApiHandler({ schema });
  const rest = new RestApiHandler({ schema, endpoint: "http://localhost/api" });
  app.use("/api/rpc", ZenStackMiddleware({ apiHandler: rpc, getClient: () => client }));
  app.use("/api", ZenStackMiddleware({ apiHandler: rest, getClient: () => client }));
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}
