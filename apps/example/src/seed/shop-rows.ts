import { Prisma } from "../generated/prisma/client.js";
import { type Catalogue, makeCatalogue } from "./catalogue.js";
import { makeCustomers } from "./customers.js";
import { makeRandom } from "./random.js";
import { makeSales, type Sales } from "./sales.js";

/** Every row of the shop, ready to be written. */
export interface ShopRows extends Omit<Catalogue, "products">, Sales {
  readonly settings: Prisma.SettingCreateManyInput[];
  readonly products: Prisma.ProductCreateManyInput[];
  readonly customers: Prisma.CustomerCreateManyInput[];
  readonly addresses: Prisma.AddressCreateManyInput[];
}

function makeSettings(): ShopRows["settings"] {
  const updatedAt = new Date("2025-01-01T00:00:00Z");
  const values: readonly (readonly [key: string, value: Prisma.InputJsonValue | typeof Prisma.JsonNull])[] = [
    ["shop.name", "Harbour & Pine"],
    ["shop.open", true],
    ["shop.closedUntil", Prisma.JsonNull],
    ["checkout.currency", "EUR"],
    ["checkout.freeShippingFrom", 75.5],
    ["checkout.methods", ["card", "bank-transfer", "gift-card", "on-delivery"]],
    ["opening-hours", { weekdays: { from: "09:00", until: "18:30" }, saturday: { from: "10:00", until: "14:00" } }],
    ["labels/de", { cart: "Warenkorb", checkout: "Zur Kasse", empty: "" }],
  ];
  return values.map(([key, value]) => ({
    key,
    value,
    description: key.startsWith("shop.") ? `About the shop: ${key.slice(5)}` : null,
    updatedAt,
  }));
}

/** The complete shop. The same seed always gives the same rows. */
export function makeShopRows(seed: number): ShopRows {
  const random = makeRandom(seed);
  const { products, ...catalogue } = makeCatalogue(random);
  const customers = makeCustomers(random);
  const sales = makeSales(random, products, customers);
  return {
    ...catalogue,
    ...sales,
    settings: makeSettings(),
    products: products.map(({ row }) => row),
    customers: customers.map(({ row }) => row),
    addresses: customers.flatMap(({ addresses }) => addresses),
  };
}
