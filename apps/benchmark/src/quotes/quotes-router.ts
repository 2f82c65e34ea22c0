import { ServiceRouter } from "@servicekit/service";
import { priceQuote, quoteSchema } from "./quote.js";

/** Quotes as declared routes. */
export function makeQuotesRouter(): ServiceRouter {
  const router = ServiceRouter();
  router.post({ path: "/quotes", validation: { body: quoteSchema } }, (request, response) => {
    response.json(priceQuote(request.body));
  });
  router.get({ path: "/empty" }, (_request, response) => {
    response.status(204).end();
  });
  return router;
}
