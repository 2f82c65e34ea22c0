import { createServer, type Server } from "node:http";
import service from "@servicekit/service";
import { sameMiddlewares } from "../hand-written/same-middlewares.js";
import { makeQuotesRouter } from "./quotes-router.js";

/** The declared routes in a service; `ownServer: false` serves its application with Node's plain server. */
export async function serveQuotesByService(ownServer: boolean): Promise<Server> {
  const { app, server } = await service.create({ use: [makeQuotesRouter()], middlewares: sameMiddlewares });
  return ownServer ? server : createServer(app);
}
