import { z } from "zod";

// What the columns do not say already; a schema that is loose opens nothing.
const quantity = z.int().min(1).max(100);

export const create = z.looseObject({ quantity, productId: z.int() });
export const update = z.looseObject({ quantity: quantity.optional() });
