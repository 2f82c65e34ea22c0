import type { JobContext, UpdatedEvent } from "@servicekit/service";
import type { Order, PrismaClient } from "../../generated/prisma/client.js";

/** A delivered order earns its customer a point for each euro; a returned one loses them. */
export async function onUpdated(
  { before, after: { status, customerId } }: UpdatedEvent<Order>,
  { client }: JobContext<PrismaClient>,
): Promise<void> {
  if (before.status === status) return;
  await client.$transaction(async (transaction) => {
    // Locked, so that the sum contains every order of which an event has arrived.
    await transaction.$queryRaw`SELECT FROM customers WHERE id = ${customerId}::uuid FOR UPDATE`;
    // Computed from all orders and not added: an event may arrive more than once.
    await transaction.$executeRaw`
      UPDATE customers SET loyalty_points = (
        SELECT coalesce(sum(trunc(total)), 0) FROM orders WHERE customer_id = customers.id AND status = 'DELIVERED'
      ) WHERE id = ${customerId}::uuid`;
  });
}
