import type { Database, RequestHandler } from "@servicekit/service";

/**
 * A new user becomes a customer. If the address belongs to an existing customer, the user does not, because the address
 * is not verified; the staff links the two.
 */
export const afterSignup: RequestHandler = async (request, response, next) => {
  const { id, email, username } = response.locals.data as { id: number; email: string; username: string };
  const database = request.app.locals.database as Database;
  const [customer] = await database.of("Customer").createMany({
    data: [{ email, name: username }],
    skipDuplicates: true,
    select: { id: true },
  });
  if (customer !== undefined) {
    await database.of("User").update({ where: { id }, data: { customerId: customer.id }, select: { id: true } });
    response.locals.data.customerId = customer.id;
  }
  next();
};
