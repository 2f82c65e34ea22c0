import express, { type Express } from "express";
import { requestId } from "./request-id.js";

/**
 * An Express application with the global middlewares of a service, each as one mounts it by hand. What the service
 * gains belongs here too: until then the sides answer with different headers, and nothing is measured.
 */
export function makeAppByHand(): Express {
  const app = express();
  app.disable("x-powered-by");
  app.set("query parser", "extended");
  app.use(requestId);
  app.use(express.json({ limit: "1mb" }));
  return app;
}
