import { type AuthenticationConfig, type Database, defineErrors, httpErrors, ServiceRouter } from "@servicekit/service";
import { z } from "zod";
import { contextOf } from "../context.js";
import type { Prisma } from "../generated/prisma/client.js";
import shipmentMail from "../jobs/shipment-mail.job.js";

const params = z.strictObject({
  id: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "must be the id of an order")
    .transform(Number),
});

const errors = defineErrors({
  OrderNotPaid: { status: 409, message: "Only an order that is paid, and not yet shipped, can be shipped." },
  OutOfStock: { status: 409, message: "There are not enough pieces of a product in stock." },
});

const shipped = z.object({
  data: z.object({ id: z.int(), reference: z.string(), status: z.literal("SHIPPED"), shippedAt: z.iso.datetime() }),
});

/** The API documentation of the route. */
const openapi = {
  summary: "Ships a paid order and takes its pieces out of the stock.",
  description:
    "All of it or nothing: a movement of the stock is written for each line. The customer receives an email.",
  tags: ["Order"],
  responses: {
    200: { description: "The order as it is now.", content: shipped },
    404: { description: "The order does not exist." },
    409: { description: "The order is not paid, is shipped already, or there are not enough pieces." },
  },
};

/** `POST /api/orders/:id/ship`: marks a paid order as shipped and reduces the stock. */
export function makeShipOrderRouter(authentication?: AuthenticationConfig): ServiceRouter {
  const router = ServiceRouter();
  const access = authentication === undefined ? {} : { authentication };
  router.post(
    { path: "/api/orders/:id/ship", validation: { params }, experimental: { openapi }, mcp: true, ...access },
    async (request, response) => {
      const { database, jobs } = contextOf(request);
      const data = await database.transaction(async (inside) => {
        const order = await shipOrder(inside, request.params.id);
        // Part of the transaction: without the shipment there is no email.
        await jobs.send(shipmentMail, { orderId: order.id });
        return order;
      });
      response.json({ data });
    },
  );
  return router;
}

async function shipOrder(database: Database, id: number) {
  const transaction = database.client as Prisma.TransactionClient;
  // The condition is part of the update, so of several concurrent requests only one ships the order. It is recorded in
  // the change log, unlike the writes of Prisma Client below.
  const updated = await database.of("Order").updateMany({
    where: { id, status: "PAID" },
    data: { status: "SHIPPED", shippedAt: new Date() },
    select: { id: true },
  });
  const order = await transaction.order.findUnique({
    where: { id },
    // Always in the same order, so that two shipments never deadlock.
    include: { items: { orderBy: { productId: "asc" }, include: { product: { select: { name: true } } } } },
  });
  if (order === null) throw httpErrors.NotFound(`There is no order ${id}.`);
  if (updated.length === 0) throw errors.OrderNotPaid();

  for (const { productId, quantity, product } of order.items) {
    const taken = await transaction.product.updateMany({
      where: { id: productId, stock: { gte: quantity } },
      data: { stock: { decrement: quantity } },
    });
    if (taken.count === 0)
      throw errors.OutOfStock(`There are fewer than ${quantity} pieces of ${product.name} in stock.`);
  }
  const note = `order ${order.reference}`;
  await transaction.stockMovement.createMany({
    data: order.items.map(({ productId, quantity }) => ({ reason: "SALE", quantity: -quantity, note, productId })),
  });
  const { reference, status, shippedAt } = order;
  return { id, reference, status, shippedAt };
}
