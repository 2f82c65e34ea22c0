import { z } from "zod";
import { defineJob, UnrecoverableError } from "../../../../../src/index.js";

/** Adds an order, or fails. */
export default defineJob({
  name: "add-order",
  payload: z.object({
    title: z.string().min(1),
    total: z.coerce.number().default(1),
    failures: z.int().default(0),
    isHopeless: z.boolean().optional(),
  }),
  retries: { limit: 3, delaySeconds: 0, backoff: false },
  handler: async ({ title, total, failures, isHopeless = false }, { database, attempt, logger }) => {
    if (isHopeless) throw new UnrecoverableError("hopeless");
    if (attempt <= failures) throw new Error(`attempt ${attempt}`);
    await database.of("Order").create({ data: { title, total }, select: { id: true } });
    logger.info({ title }, "added an order");
  },
});
