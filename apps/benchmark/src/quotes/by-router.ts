import { createServer, type Server } from "node:http";
import express from "express";
import { requestId } from "../hand-written/request-id.js";
import { makeQuotesRouter } from "./quotes-router.js";

/** The declared routes in an Express application that is otherwise hand-written. */
export function serveQuotesByRouter(): Server {
  const app = express();
  app.disable("x-powered-by");
  app.use(requestId);
  app.use(makeQuotesRouter());
  return createServer(app);
}
