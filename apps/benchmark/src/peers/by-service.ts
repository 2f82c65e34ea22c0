import type { Server } from "node:http";
import service, { ServiceRouter } from "@servicekit/service";
import { PrismaClient } from "../generated/prisma/client.js";
import { models } from "../generated/service/models.js";
import { priceQuote, quoteSchema } from "../quotes/quote.js";
import { welcomeMessage } from "./prisma-handlers.js";

/**
 * The shop as a service with all its defaults, except that the rate limit is never reached.
 *
 * @param workers makes this process their primary; the promise never resolves then
 */
export async function servePeerByService(engine: "auto" | "prisma", workers?: number): Promise<Server> {
  const quotes = ServiceRouter();
  quotes.post({ path: "/api/quotes", validation: { body: quoteSchema } }, (request, response) => {
    response.json(priceQuote(request.body));
  });
  const open = { findMany: false, findOne: false, createOne: false, updateOne: false } as const;
  const { server } = await service.init({
    port: 0,
    ...(workers === undefined ? {} : { workers }),
    welcomeMessage,
    database: { client: ({ adapter }) => new PrismaClient({ adapter }), models, engine },
    authentication: {
      mode: "static",
      password: { cost: 4 },
      rateLimit: false,
      jwt: { secret: process.env.JWT_SECRET },
    },
    models: {
      Product: { auth: open, page: { max: 1000 } },
      Category: { auth: open },
      Branch: { auth: { findOne: ["MEMBER"] } },
    },
    middlewares: { rateLimit: { limit: 1e9 } },
    use: [quotes],
  });
  return server;
}
