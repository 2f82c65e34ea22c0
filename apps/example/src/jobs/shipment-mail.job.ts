import { defineJob, type JobContext, MailError, UnrecoverableError } from "@servicekit/service";
import { z } from "zod";
import type { PrismaClient } from "../generated/prisma/client.js";

/** Informs the customer that an order is on its way. `POST /api/orders/:id/ship` sends it. */
export default defineJob({
  name: "shipment-mail",
  payload: z.object({ orderId: z.int() }),
  handler: async ({ orderId }, { client, mailer }: JobContext<PrismaClient>) => {
    const { reference, customer } = await client.order.findUniqueOrThrow({
      where: { id: orderId },
      select: { reference: true, customer: { select: { name: true, email: true } } },
    });
    const text = `Hello ${customer.name},\n\nyour order ${reference} is on its way.\n\nHarbour & Pine`;
    await mailer.send({ to: customer.email, subject: `Your order ${reference}`, text }).catch((error: unknown) => {
      // No retry configures a mail server.
      if (error instanceof MailError && error.code === "NotConfigured") throw new UnrecoverableError(error.message);
      throw error;
    });
  },
});
