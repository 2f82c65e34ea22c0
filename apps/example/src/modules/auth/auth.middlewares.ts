import type { Database, RequestHandler } from "@servicekit/service";

/**
 * Who signs up becomes a customer. Whose address is that of a customer already does not: the address is not proved to be
 * his, so the shop's people join the two.
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
