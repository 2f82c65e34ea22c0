import { createServer, type Server } from "node:http";
import { ZenStackClient } from "@zenstackhq/orm";
import { PostgresDialect } from "@zenstackhq/orm/dialects/postgres";
import { RestApiHandler, RPCApiHandler } from "@zenstackhq/server/api";
import { ZenStackMiddleware } from "@zenstackhq/server/express";
import express, { type RequestHandler } from "express";
import { jwtVerify } from "jose";
import pg from "pg";
import { priceQuote, quoteSchema } from "../quotes/quote.js";
import { tokenKey, welcomeMessage } from "./prisma-handlers.js";
import { schema } from "./zenstack-schema.js";

/** How ZenStack exposes the models: its client's methods over HTTP, or JSON:API. */
export type ZenStackStyle = "rpc" | "rest";

/** Express with ZenStack's generated routes, and the two routes without a model written as in Express. */
export function serveZenStack(style: ZenStackStyle): Server {
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
  const client = new ZenStackClient(schema, { dialect: new PostgresDialect({ pool }) });
  const key = tokenKey();
  const requireUser: RequestHandler = async (request, response, next) => {
    const token = request.headers.authorization?.replace("Bearer ", "") ?? "";
    const { payload } = await jwtVerify(token, key, { algorithms: ["HS256"] });
    const user = await client.user.findUnique({ where: { id: Number(payload.sub) } });
    if (user?.isActive) next();
    else response.status(401).json({ message: "Sign in first." });
  };

  const app = express();
  app.disable("x-powered-by");
  app.use(express.json({ limit: "1mb" }));
  app.get("/api", (_request, response) => void response.json({ message: welcomeMessage }));
  app.post("/api/quotes", (request, response) => {
    const body = quoteSchema.safeParse(request.body);
    if (body.success) response.json(priceQuote(body.data));
    else response.status(400).json({ errors: body.error.issues });
  });
  app.use("/api/branch", requireUser);
  const apiHandler =
    style === "rpc"
      ? new RPCApiHandler({ schema })
      : new RestApiHandler({ schema, endpoint: "http://localhost/api", pageSize: 1000 });
  app.use("/api", ZenStackMiddleware({ apiHandler, getClient: () => client }));
  return createServer(app);
}
