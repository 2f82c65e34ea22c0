import { createServer, type Server } from "node:http";
import compression from "compression";
import cookieParser from "cookie-parser";
import cors from "cors";
import express, { type Express, type Response } from "express";
import { rateLimit } from "express-rate-limit";
import helmet from "helmet";
import { pino } from "pino";
import { requestId } from "../hand-written/request-id.js";
import { makePrismaHandlers, type PeerResponse } from "./prisma-handlers.js";

/** Express with only the body parser that its routes need. */
export const serveBareExpress = (): Server => serveExpress(() => undefined);

/** Express with the middlewares that a service has by default, from the usual packages. */
export const serveFullExpress = (): Server =>
  serveExpress((app) => {
    const log = pino();
    app.use(requestId);
    app.use((request, response, next) => {
      const started = performance.now();
      response.once("finish", () =>
        log.info(
          {
            method: request.method,
            url: request.originalUrl,
            status: response.statusCode,
            ms: performance.now() - started,
          },
          "request",
        ),
      );
      next();
    });
    app.use(helmet());
    app.use(cors());
    app.use(cookieParser());
    app.use(compression());
    app.use(rateLimit({ windowMs: 60_000, limit: 1e9, standardHeaders: "draft-8", legacyHeaders: false }));
  });

function serveExpress(mountMiddlewares: (app: Express) => void): Server {
  const handlers = makePrismaHandlers();
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", "extended");
  mountMiddlewares(app);
  app.use(express.json({ limit: "1mb" }));
  app.get("/api", (_request, response) => send(response, handlers.welcome()));
  app.post("/api/quotes", (request, response) => send(response, handlers.quote(request.body)));
  app.get("/api/products", async (request, response) =>
    send(response, await handlers.list(request.query, request.originalUrl)),
  );
  app.get("/api/products/:id", async (request, response) => send(response, await handlers.read(request.params.id)));
  app.post("/api/products", async (request, response) => send(response, await handlers.create(request.body)));
  app.patch("/api/products/:id", async (request, response) =>
    send(response, await handlers.update(request.params.id, request.body)),
  );
  app.get("/api/branches/:id", async (request, response) =>
    send(response, await handlers.readBranch(request.params.id, request.headers.authorization)),
  );
  return createServer(app);
}

function send(response: Response, { status, body, headers }: PeerResponse): void {
  if (headers !== undefined) response.set(headers);
  response.status(status).json(body);
}
