import { createServer, type Server } from "node:http";
import { makeAppByHand } from "../by-hand/make-app-by-hand.js";
import { priceQuote, quoteSchema } from "./quote.js";

/** Quotes as one writes them in Express 5. */
export function serveQuotesByHand(): Server {
  const app = makeAppByHand();
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
