import type { PrismaClient } from "./generated/prisma/client.js";
import { makeProgress, type Terminal } from "./seed/progress.js";
import { makeShopRows } from "./seed/shop-rows.js";

/** The tables whose ids the database counts: rows with ids of our own must move the counters on. */
const counted = ["categories", "tags", "products", "addresses", "orders"] as const;

/**
 * Fills an empty database with the shop's rows, all or none of them.
 *
 * @returns How many rows were written; 0 when the database already has some.
 */
export async function seed(client: PrismaClient, terminal: Terminal = process.stderr): Promise<number> {
  // Every other table refers to one of these.
  const found = await Promise.all([
    client.setting.findFirst(),
    client.supplier.findFirst(),
    client.category.findFirst(),
    client.tag.findFirst(),
    client.customer.findFirst(),
    client.coupon.findFirst(),
  ]);
  if (found.some((row) => row !== null)) return 0;

  const rows = makeShopRows(2025);
  const total = Object.values(rows).reduce((sum, list) => sum + list.length, 0);
  const tell = makeProgress(total, terminal);
  await client.$transaction(
    async (tx) => {
      const steps = [
        tx.setting.createMany({ data: rows.settings }),
        tx.supplier.createMany({ data: rows.suppliers }),
        tx.category.createMany({ data: rows.categories }),
        tx.tag.createMany({ data: rows.tags }),
        tx.product.createMany({ data: rows.products }),
        tx.$executeRaw`
          INSERT INTO "_ProductToTag" ("A", "B")
          SELECT * FROM unnest(${rows.productTags.map(({ productId }) => productId)}::int[],
                               ${rows.productTags.map(({ tagId }) => tagId)}::int[])`,
        tx.productImage.createMany({ data: rows.images }),
        tx.productSupplier.createMany({ data: rows.productSuppliers }),
        tx.customer.createMany({ data: rows.customers }),
        tx.address.createMany({ data: rows.addresses }),
        tx.coupon.createMany({ data: rows.coupons }),
        tx.order.createMany({ data: rows.orders }),
        tx.orderItem.createMany({ data: rows.items }),
        tx.payment.createMany({ data: rows.payments }),
        tx.review.createMany({ data: rows.reviews }),
        tx.stockMovement.createMany({ data: rows.movements }),
      ];
      let written = 0;
      for (const step of steps) {
        const result = await step;
        written += typeof result === "number" ? result : result.count;
        tell(written);
      }
      for (const table of counted) {
        await tx.$executeRaw`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${BigInt(rows[table].length)})`;
      }
    },
    { timeout: 60_000 },
  );
  return total;
}
