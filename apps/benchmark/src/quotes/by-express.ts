import { createServer, type Server } from "node:http";
import { makeHandWrittenApp } from "../hand-written/make-hand-written-app.js";
import { priceQuote, quoteSchema } from "./quote.js";

/** Hand-written quotes in Express 5. */
export function serveQuotesByExpress(): Server {
  const app = makeHandWrittenApp();
  app.post("/quotes", (request, response) => {
    const parsed = quoteSchema.safeParse(request.body);
    if (!parsed.success) {
      response.status(400).json({ errors: parsed.error.issues });
      return;
    }
    response.json(priceQuote(parsed.data));
  });
  app.get("/empty", (_request, response) => {
    response.status(204).end();
  });
  return createServer(app);
}
