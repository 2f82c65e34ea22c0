import type { LoadRequest } from "../measure/load.js";
import { productCount } from "./shop-rows.js";

/** One kind of request to the shop. */
export interface ShopRequests {
  readonly title: string;
  readonly next: () => LoadRequest;
  /** Fields whose values the server or the request generates. */
  readonly variable?: readonly string[];
}

/** The kinds of requests; writes come last, because a longer table changes the lists. */
export function makeShopRequests(): readonly ShopRequests[] {
  return [
    {
      title: "a list of 20 with filter, sort and total",
      next: rotate(listPaths.map((path) => ({ method: "GET", path }))),
    },
    { title: "a product by its id", next: rotate(idPaths.map((path) => ({ method: "GET", path }))) },
    { title: "a product created, validated", next: makeCreations(), variable: ["id", "sku", "createdAt", "updatedAt"] },
  ];
}

// As few different pages as real clients request, because Prisma plans each separately.
const listPaths = Array.from({ length: 20 }, (_, index) => {
  const filter = `status=ACTIVE&price[gte]=${10 + index}.50&price[lt]=${400 + index}`;
  return `/api/products?${filter}&sort=-price&limit=20&page=${1 + (index % 4)}`;
});

const idPaths = Array.from({ length: 500 }, (_, index) => `/api/products/${1 + ((index * 7919) % productCount)}`);

/** Returns the items in turn. */
export function rotate<Item>(items: readonly Item[]): () => Item {
  let at = 0;
  return () => items[at++ % items.length] as Item;
}

/** A new product per request. */
export function makeCreations(): () => LoadRequest {
  let made = 0;
  return () => {
    made++;
    const body = JSON.stringify({
      sku: `NEW-${String(made).padStart(8, "0")}`,
      name: "A lantern for long evenings",
      description: "It burns for forty hours and folds flat.",
      status: "ACTIVE",
      price: "49.95",
      stock: 12,
      weight: 0.75,
      featured: true,
      releasedAt: "2025-09-01T08:00:00.000Z",
      categoryId: 7,
    });
    return { method: "POST", path: "/api/products", body };
  };
}
