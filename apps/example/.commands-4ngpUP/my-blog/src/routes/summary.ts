/** `GET /api/summary?days=7`: what was made lately, for the people who run this. */
import { ServiceRouter } from "@servicekit/service";
import { z } from "zod";
import { contextOf } from "../context.js";

const Query = z.strictObject({ days: z.int().min(1).max(365).default(7) });

export const summary = ServiceRouter();

summary.get(
  {
    path: "/api/summary",
    validation: { query: Query },
    authentication: { resource: "summary", action: "View", rule: ["STAFF"] },
    experimental: { openapi: { summary: "What was made lately.", tags: ["Reports"] } },
  },
  async (request, response) => {
    const { days } = request.query; // a number from 1 to 365
    const since = new Date(Date.now() - days * 24 * 60 * 60 * 1000);
    const count = await contextOf(request).client.post.count({ where: { createdAt: { gte: since } } });
    response.json({ data: { days, posts: count } });
  },
);
