/** A service that sends webhooks; a test kills it again and again. It prints its URL. */
import service from "@servicekit/service";
import { PrismaClient } from "./generated/webhooks/client/client.js";
import { models } from "./generated/webhooks/models.js";

const { url } = await service.init({
  ...{ port: 0, host: "127.0.0.1", logLevel: "error" },
  middlewares: { rateLimit: false },
  database: { models, client: ({ adapter }) => new PrismaClient({ adapter: adapter as never }) },
  models: { Order: { changes: true } },
  webhooks: {
    allow: ["127.0.0.1"],
    endpoints: [
      {
        url: process.env.RECEIVER ?? "",
        events: ["order.created", "order.updated"],
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      },
    ],
  },
});
console.log(url);
