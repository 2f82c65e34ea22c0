import express, { type Express } from "express";
import { requestId } from "./request-id.js";

/** Express with the global middleware of a service with `sameMiddlewares`: their responses have the same headers. */
export function makeHandWrittenApp(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", "extended");
  app.use(requestId);
  app.use(express.json({ limit: "1mb" }));
  return app;
}
