import { z } from "zod";

/** The body of `POST /quotes`, for every target. */
export const quoteSchema = z.strictObject({
  customer: z.string().min(1).max(80),
  email: z.email(),
  country: z.enum(["DE", "FR", "IT", "ES"]),
  express: z.boolean().default(false),
  note: z.string().max(500).optional(),
  items: z
    .array(
      z.strictObject({
        sku: z.string().regex(/^[A-Z]{2}-\d{4}$/),
        quantity: z.int().min(1).max(1000),
        price: z.number().min(0),
      }),
    )
    .min(1)
    .max(100),
});

export type Quote = z.infer<typeof quoteSchema>;

/** The response of the handler of every target. */
export function priceQuote({ customer, items, express }: Quote): object {
  const goods = items.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const shipping = express ? 12 : 5;
  return { data: { customer, positions: items.length, goods, shipping, total: goods + shipping } };
}
