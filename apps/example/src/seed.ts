import type { Prisma, PrismaClient } from "./generated/prisma/client.js";
import { makeProgress, type Terminal } from "./seed/progress.js";
import { makeShopRows, type ShopRows } from "./seed/shop-rows.js";

/** The tables with sequences, which must be advanced after inserting rows with explicit ids. */
const counted = ["categories", "tags", "products", "addresses", "orders"] as const;

/**
 * Inserts the shop's rows into an empty database, all or none of them.
 *
 * @returns the number of rows; 0 if the database already has some
 */
export function seed(client: PrismaClient, terminal: Terminal = process.stderr): Promise<number> {
  return client.$transaction(
    async (transaction) => {
      // Of several shops that start on one database, one seeds and the others wait for it.
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('seed'))`;
      return (await hasRows(transaction)) ? 0 : write(transaction, makeShopRows(2025), terminal);
    },
    { timeout: 60_000 },
  );
}

/** Whether there are rows: every other table references one of these. */
async function hasRows(transaction: Prisma.TransactionClient): Promise<boolean> {
  const found = [
    await transaction.setting.findFirst(),
    await transaction.supplier.findFirst(),
    await transaction.category.findFirst(),
    await transaction.tag.findFirst(),
    await transaction.customer.findFirst(),
    await transaction.coupon.findFirst(),
  ];
  return found.some((row) => row !== null);
}

async function write(transaction: Prisma.TransactionClient, rows: ShopRows, terminal: Terminal): Promise<number> {
  const total = Object.values(rows).reduce((sum, list) => sum + list.length, 0);
  const report = makeProgress(total, terminal);
  const steps = [
    transaction.setting.createMany({ data: rows.settings }),
    transaction.supplier.createMany({ data: rows.suppliers }),
    transaction.category.createMany({ data: rows.categories }),
    transaction.tag.createMany({ data: rows.tags }),
    transaction.product.createMany({ data: rows.products }),
    transaction.$executeRaw`
      INSERT INTO "_ProductToTag" ("A", "B")
      SELECT * FROM unnest(${rows.productTags.map(({ productId }) => productId)}::int[],
                           ${rows.productTags.map(({ tagId }) => tagId)}::int[])`,
    transaction.productImage.createMany({ data: rows.images }),
    transaction.productSupplier.createMany({ data: rows.productSuppliers }),
    transaction.customer.createMany({ data: rows.customers }),
    transaction.address.createMany({ data: rows.addresses }),
    transaction.coupon.createMany({ data: rows.coupons }),
    transaction.order.createMany({ data: rows.orders }),
    transaction.orderItem.createMany({ data: rows.items }),
    transaction.payment.createMany({ data: rows.payments }),
    transaction.review.createMany({ data: rows.reviews }),
    transaction.stockMovement.createMany({ data: rows.movements }),
  ];
  let written = 0;
  // Prisma's promises start when they are awaited, so these run in sequence.
  for (const step of steps) {
    const result = await step;
    written += typeof result === "number" ? result : result.count;
    report(written);
  }
  for (const table of counted) {
    const last = BigInt(rows[table].length);
    await transaction.$executeRaw`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${last})`;
  }
  return written;
}
