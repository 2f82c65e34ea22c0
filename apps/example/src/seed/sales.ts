import type { Prisma, StockReason } from "../generated/prisma/client.js";
import type { ProductRow } from "./catalogue.js";
import type { CustomerRow } from "./customers.js";
import { toEuros } from "./money.js";
import type { Random } from "./random.js";
import { opinions } from "./words.js";

/** The orders of 2025, their payments, and reviews. */
export interface Sales {
  readonly coupons: Prisma.CouponCreateManyInput[];
  readonly orders: Prisma.OrderCreateManyInput[];
  readonly items: Prisma.OrderItemCreateManyInput[];
  readonly payments: Prisma.PaymentCreateManyInput[];
  readonly reviews: Prisma.ReviewCreateManyInput[];
  readonly movements: Prisma.StockMovementCreateManyInput[];
}

const orderCount = 480;
const yearStart = new Date("2025-01-02T08:00:00Z");
const yearEnd = new Date("2025-12-20T18:00:00Z");
const day = 24 * 60 * 60 * 1000;

/** Code, tenths of a percent, first and last day. */
const coupons = [
  ["WELCOME10", 100, "2023-01-01", null],
  ["SPRING15", 150, "2025-03-20", "2025-05-31"],
  ["STAFF25", 250, "2023-01-01", null],
  ["FLASH7.5", 75, "2025-11-28", "2025-11-30"],
  ["OLDTIMER", 50, "2023-01-01", "2023-12-31"],
] as const;

const statuses = [
  "PENDING",
  "PAID",
  "SHIPPED",
  "DELIVERED",
  "DELIVERED",
  "DELIVERED",
  "CANCELLED",
  "RETURNED",
] as const;
const shipped: readonly string[] = ["SHIPPED", "DELIVERED", "RETURNED"];

function makeCoupons(): Sales["coupons"] {
  return coupons.map(([code, tenths, from, until]) => ({
    code,
    percent: (tenths / 10).toFixed(1),
    isActive: code !== "OLDTIMER",
    usageLimit: code === "FLASH7.5" ? 100 : null,
    validFrom: new Date(`${from}T00:00:00Z`),
    validUntil: until === null ? null : new Date(`${until}T00:00:00Z`),
  }));
}

function makeItems(random: Random, orderId: number, products: readonly ProductRow[]) {
  return random.sample(products, random.pick([1, 1, 2, 2, 3, 4])).map((product, at) => {
    const quantity = random.pick([1, 1, 1, 2, 3]);
    const row = {
      orderId,
      line: at + 1,
      quantity,
      unitPrice: toEuros(product.cents),
      productId: product.row.id,
    };
    return { row, cents: quantity * product.cents, product };
  });
}

function makeReview(random: Random, product: ProductRow, customerId: string, after: Date): Sales["reviews"][number] {
  const rating = random.pick([1, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5]);
  const [title, body] = random.pick(opinions[rating] ?? []);
  return {
    rating,
    title: random.chance(0.8) ? title : null,
    body: body.replaceAll("{}", product.row.name.toLowerCase()),
    isVerified: random.chance(0.7),
    helpful: random.integer(0, 12),
    productId: product.row.id,
    customerId,
    createdAt: new Date(after.getTime() + random.integer(5, 40) * day),
  };
}

/** One year of orders; adds the quantities to the products' stock and the points to the customers. */
export function makeSales(random: Random, products: readonly ProductRow[], customers: readonly CustomerRow[]): Sales {
  const sales: Sales = { coupons: makeCoupons(), orders: [], items: [], payments: [], reviews: [], movements: [] };
  const move = (product: ProductRow, reason: StockReason, quantity: number, createdAt: Date) => {
    product.row.stock += quantity;
    const note = reason === "DELIVERY" ? "first delivery" : null;
    sales.movements.push({ reason, quantity, note, productId: product.row.id, createdAt });
  };
  for (const product of products) move(product, "DELIVERY", random.integer(20, 60), yearStart);

  const moments = Array.from({ length: orderCount }, () => random.date(yearStart, yearEnd));
  moments.sort((a, b) => a.getTime() - b.getTime());
  const reviewed = new Set<string>();
  for (const [at, moment] of moments.entries()) {
    const id = at + 1;
    const customer = random.pick(customers);
    const placedAt = moment > customer.createdAt ? moment : new Date(customer.createdAt.getTime() + day);
    const [shippingAddress, billingAddress] = [random.pick(customer.addresses), random.pick(customer.addresses)];
    const status = random.pick(statuses);
    const coupon = random.chance(0.2) ? random.pick(coupons) : undefined;
    const items = makeItems(random, id, products);
    const sum = items.reduce((cents, item) => cents + item.cents, 0);
    const total = Math.round((sum * (1000 - (coupon?.[1] ?? 0))) / 1000);
    const isShipped = shipped.includes(status);
    sales.orders.push({
      id,
      reference: `HP-2025-${String(id).padStart(5, "0")}`,
      status,
      total: toEuros(total),
      note: random.chance(0.1) ? random.pick(["Leave it with the neighbour.", "A gift: no invoice, please."]) : null,
      clientIp: random.chance(0.7) ? `192.0.2.${random.integer(1, 254)}` : null,
      placedAt,
      deliverBy: random.chance(0.1) ? new Date(placedAt.getTime() + 7 * day) : null,
      shippedAt: isShipped ? new Date(placedAt.getTime() + random.integer(1, 5) * day) : null,
      customerId: customer.row.id,
      shippingAddressId: shippingAddress.id,
      billingAddressId: billingAddress.id === shippingAddress.id ? null : billingAddress.id,
      couponCode: coupon?.[0] ?? null,
    });
    sales.items.push(...items.map(({ row }) => row));
    if (status !== "PENDING" && status !== "CANCELLED") {
      const method = random.pick(["CARD", "CARD", "BANK_TRANSFER", "GIFT_CARD", "ON_DELIVERY"] as const);
      const paidAt = new Date(placedAt.getTime() + random.integer(1, 600) * 1000 + random.integer(0, 999));
      sales.payments.push({
        id: random.uuid(),
        method,
        amountCents: BigInt(total),
        ...(method === "CARD" && { receipt: { provider: "testpay", authorised: true, number: id * 7919 } }),
        cardToken: method === "CARD" ? `tok_${random.uuid().slice(0, 8)}` : null,
        paidAt,
        orderId: id,
      });
    }
    if (!isShipped) continue;
    for (const { row, product } of items) {
      move(product, "SALE", -row.quantity, placedAt);
      if (status === "RETURNED") move(product, "RETURN", row.quantity, new Date(placedAt.getTime() + 14 * day));
    }
    if (status !== "DELIVERED") continue;
    customer.row.loyaltyPoints += Math.floor(total / 100);
    for (const { product } of items) {
      const pair = `${product.row.id} ${customer.row.id}`;
      if (reviewed.has(pair) || random.chance(0.4)) continue;
      reviewed.add(pair);
      sales.reviews.push(makeReview(random, product, customer.row.id, placedAt));
    }
  }
  return sales;
}
