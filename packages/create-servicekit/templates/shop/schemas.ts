import { z } from "zod";

// Rules in addition to those of the columns. A loose schema does not allow more fields.
const quantity = z.int().min(1).max(100);

export const create = z.looseObject({ quantity, productId: z.int() });
export const update = z.looseObject({ quantity: quantity.optional() });
