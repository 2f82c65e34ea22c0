//: if accounts
import { type Hook, httpErrors, userIdOf } from "@servicekit/service";
//: else
import { type Hook, httpErrors } from "@servicekit/service";
//: end
import { contextOf } from "../../context.js";
import type { Order } from "../../generated/prisma/client.js";

/** Runs between validation and the database: it may set what clients may not. */
export const beforeCreateOne: Hook<"beforeCreateOne", Order> = async (request, _response, next) => {
  const { productId = 0, quantity = 0 } = request.body;
  const product = await contextOf(request).client.product.findUnique({ where: { id: productId } });
  if (product === null) throw httpErrors.NotFound(`There is no product ${productId}.`);
  if (product.stock < quantity) throw httpErrors.Conflict(`There are only ${product.stock} of ${product.name}.`);
  request.body.total = product.price.mul(quantity);
//: if accounts
  request.body.ownerId = Number(userIdOf(request) ?? 0);
//: end
  next();
};
