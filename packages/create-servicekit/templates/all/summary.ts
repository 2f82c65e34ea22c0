//: if accounts
/** `GET /api/summary?days=7`: the number of new rows, for staff. */
//: else
/** `GET /api/summary?days=7`: the number of new rows. */
//: end
import { ServiceRouter } from "@servicekit/service";
//: if zod
import { z } from "zod";
//: else
import { IsInt, Max, Min } from "class-validator";
//: end
import { contextOf } from "../context.js";

//: if zod
const Query = z.strictObject({ days: z.int().min(1).max(365).default(7) });
//: else
class Query {
  @IsInt()
  @Min(1)
  @Max(365)
  days = 7;
}
//: end

export const summary = ServiceRouter();

summary.get(
  {
    path: "/api/summary",
    validation: { query: Query },
//: if static
    authentication: { resource: "summary", action: "View", rule: ["STAFF"] },
//: end
//: if dynamic
    authentication: { resource: "summary", action: "View" },
//: end
    experimental: { openapi: { summary: "The number of new rows.", tags: ["Reports"] } },
  },
  async (request, response) => {
    const { days } = request.query; // a number from 1 to 365
    const since = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    const count = await contextOf(request).client.{{model}}.count({ where: { createdAt: { gte: since } } });
    response.json({ data: { days, {{models}}: count } });
  },
);
