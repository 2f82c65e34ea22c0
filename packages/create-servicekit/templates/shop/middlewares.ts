//: if accounts
import { type Hook, httpErrors, userIdOf } from "@servicekit/service";
//: else
import { type Hook, httpErrors } from "@servicekit/service";
//: end
import { contextOf } from "../../context.js";
import type { Order } from "../../generated/prisma/client.js";

/** Runs between validation and the database. It may set fields that clients cannot set. */
export const beforeCreateOne: Hook<"beforeCreateOne", Order> = async (request, _response, next) => {
  const { productId = 0, quantity = 0 } = request.body;
  const product = await contextOf(request).client.product.findUnique({ where: { id: productId } });
  if (product === null) throw httpErrors.NotFound(`The product ${productId} does not exist.`);
  if (product.stock < quantity) throw httpErrors.Conflict(`Only ${product.stock} of ${product.name} are in stock.`);
//: if sqlite
  request.body.total = product.price * quantity;
//: else
  request.body.total = product.price.mul(quantity);
//: end
//: if accounts
  request.body.ownerId = Number(userIdOf(request) ?? 0);
//: end
  next();
};
