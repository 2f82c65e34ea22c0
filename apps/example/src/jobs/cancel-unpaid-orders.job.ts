import { defineJob } from "@servicekit/service";
import { z } from "zod";

const maxAgeMs = 14 * 24 * 60 * 60 * 1000;

/** Cancels orders that were not paid within two weeks, every night. */
export default defineJob({
  name: "cancel-unpaid-orders",
  payload: z.undefined(),
  schedule: { cron: "0 3 * * *", timeZone: "Europe/Berlin" },
  handler: async (_payload, { database, logger }) => {
    // By the database of the service, so that the changes are recorded.
    const cancelled = await database.of("Order").updateMany({
      where: { status: "PENDING", placedAt: { lt: new Date(Date.now() - maxAgeMs) } },
      data: { status: "CANCELLED" },
      select: { id: true },
    });
    logger.info({ orders: cancelled.length }, "unpaid orders cancelled");
  },
});
