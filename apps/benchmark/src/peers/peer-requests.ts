import type { LoadRequest } from "../measure/load.js";
import { makeCreations, rotate } from "../shop/shop-requests.js";
import { productCount } from "../shop/shop-rows.js";

/** One kind of request to every peer. */
export interface PeerRequests {
  readonly title: string;
  readonly next: () => LoadRequest;
  /** Changes rows. @default false */
  readonly writes?: true;
}

const get = (path: string, more: Partial<LoadRequest> = {}): LoadRequest => ({ method: "GET", path, ...more });
const list = (index: number, more = ""): LoadRequest => {
  const filter = `status=ACTIVE&price[gte]=${10 + index}.50&price[lt]=${400 + index}`;
  return get(`/api/products?${filter}&sort=-price&limit=20&page=${1 + (index % 4)}${more}`);
};
const ids = Array.from({ length: 500 }, (_, index) => 1 + ((index * 7919) % productCount));
const twenty = Array.from({ length: 20 }, (_, index) => index);

const quote = {
  customer: "Ada Lovelace",
  email: "ada@example.com",
  country: "FR",
  items: [{ sku: "TE-1042", quantity: 2, price: 219.9 }],
};
const toChange = (id: number): LoadRequest => ({
  method: "PATCH",
  path: `/api/products/${id}`,
  body: JSON.stringify({ stock: id % 100, price: "49.95" }),
});
const rejected = { sku: "X", name: "A lantern", price: "cheap", releasedAt: "soon", categoryId: 0 };

/** The twelve requests except the list of 1,000; writes come last, because a longer table changes the lists. */
export function makePeerRequests(token: string): readonly PeerRequests[] {
  return [
    { title: "list of 20, filter and sort", next: rotate(twenty.map((index) => list(index, "&count=false"))) },
    { title: "list and total", next: rotate(twenty.map((index) => list(index))) },
    {
      title: "list with an included relation",
      next: rotate(twenty.map((index) => list(index, "&count=false&include=category"))),
    },
    { title: "by id", next: rotate(ids.map((id) => get(`/api/products/${id}`))) },
    {
      title: "signed in, by id",
      next: rotate(twenty.map((index) => get(`/api/branches/${1 + index}`, { token }))),
    },
    { title: "404", next: rotate(ids.map((id) => get(`/api/products/${id + 1_000_000_000}`, { status: 404 }))) },
    {
      title: "validation error",
      next: rotate([{ method: "POST", path: "/api/products", body: JSON.stringify(rejected), status: 400 }]),
    },
    { title: "declared route", next: rotate([{ method: "POST", path: "/api/quotes", body: JSON.stringify(quote) }]) },
    { title: "welcome", next: rotate([get("/api")]) },
    { title: "update", next: rotate(ids.map(toChange)), writes: true },
    { title: "create, validated", next: makeCreations(), writes: true },
  ];
}

/** The request that uses memory. */
export const longList: PeerRequests = {
  title: "list of 1,000",
  next: rotate([get("/api/products?limit=1000&count=false")]),
};
