import type { AccountDatabase } from "./account-shop.js";

/** A route of `GET /api/available-routes`. */
export interface Route {
  readonly method: string;
  readonly path: string;
  readonly resource: string | null;
  readonly operation: string | null;
}

/** A request that checks access to a route without a change. */
export interface Probe {
  /** For an existing row and for a missing one; one path if the route identifies no row. */
  readonly paths: readonly string[];
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly endsSession?: boolean;
}

/** A key that no model has: the body is rejected after the access check. */
const wrong = { nonsense: true };
const neverMatches = { "if-match": '"never"' };
const uuid = "00000000-0000-4000-8000-000000000000";

/** Probes of all routes; rows that belong to customers are Ada's. */
export async function makeProbes(
  routes: readonly Route[],
  database: AccountDatabase,
): Promise<ReadonlyMap<string, Probe>> {
  const ids = await rowIds(database);
  return new Map(routes.map((route) => [`${route.method} ${route.path}`, probeOf(route, ids)]));
}

type RowIds = Readonly<Record<string, readonly [present: string | number, absent: string | number]>>;

async function rowIds({ client, own }: AccountDatabase): Promise<RowIds> {
  const ada = await own("ada");
  const item = await client.orderItem.findFirstOrThrow({ where: { orderId: ada.orderId }, orderBy: { line: "asc" } });
  const payment = await client.payment.findFirstOrThrow({ where: { order: { customerId: ada.customerId } } });
  const image = await client.productImage.findFirstOrThrow();
  const supplier = await client.supplier.findFirstOrThrow();
  const joined = await client.productSupplier.findFirstOrThrow();
  const role = await client.authRole.findFirstOrThrow();
  const permission = await client.authPermission.findFirstOrThrow();
  // Not active, so that its message is not sent again.
  const webhook = await client.webhook.create({ data: { url: "https://example.com/", active: false } });
  const { id: deliveryId } = await client.webhookDelivery.create({
    data: {
      ...{ webhookId: webhook.id, event: "msg_1", type: "order.updated", attempt: 1, time: new Date(), duration: 1 },
      ...{ state: "failed", request: "{}" },
    },
  });
  return {
    setting: ["shop.name", "shop.none"],
    supplier: [supplier.id, uuid],
    category: [1, 999_999],
    tag: [1, 999_999],
    product: [1, 999_999],
    "product-image": [image.id, uuid],
    "product-supplier": [`${joined.productId},${joined.supplierId}`, `999999,${uuid}`],
    customer: [ada.customerId, uuid],
    address: [ada.addressId, 999_999],
    coupon: ["FLASH7.5", "NONE"],
    order: [ada.orderId, 999_999],
    webhook: [webhook.id, uuid],
    delivery: [String(deliveryId), "999999"],
    "order-item": [`${item.orderId},${item.line}`, "999999,1"],
    payment: [payment.id, uuid],
    review: [ada.reviewId, 999_999],
    "stock-movement": [1, 999_999],
    user: [ada.id, 999_999],
    "auth-role": [role.id, 999_999],
    "auth-permission": [permission.id, 999_999],
  };
}

function probeOf({ method, path, resource, operation }: Route, ids: RowIds): Probe {
  if (path === "/api/users/me" && method === "DELETE") return { paths: [path], endsSession: true };
  if (path === "/api/auth/logout") return { paths: [path], endsSession: true };
  if (path === "/api/auth/sessions" && method === "DELETE") return { paths: [path], endsSession: true };
  if (path.startsWith("/api/auth/") || path.startsWith("/api/users/:id/sessions")) {
    // Anonymous: with access, it finds nothing to end.
    const absent = path.replace("users/:id", "users/999999").replace(/sessions\/:\w+/, `sessions/${uuid}`);
    return {
      paths: [absent.replace("keys/:id", `keys/${"0".repeat(24)}`)],
      ...(method === "GET" ? {} : { body: wrong }),
    };
  }
  // Of no queue.
  if (path.includes(":queue")) return { paths: [path.replace(":queue", "none").replace(":id", uuid)] };
  // A stream would not end.
  if (operation === "events") return { paths: [`${path}?nonsense=1`] };
  if (operation === "aggregate") return { paths: [`${path}?count=true`] };
  if (path.includes(":fileName")) return { paths: [path.replace(":fileType/:fileName", "images/none.png")] };
  if (path.includes(":fileType")) return { paths: [path.replace(":fileType", "images")], body: wrong };
  const paths = path.includes(":id")
    ? (ids[resource ?? ""] ?? []).map((id) =>
        path
          .replace(":id", String(id))
          .replace(":changeId", "999999")
          .replace(":deliveryId", String(ids.delivery?.[0])),
      )
    : [path];
  if (paths.length === 0) throw new Error(`There are no rows for ${method} ${path}: add them above.`);
  if (method === "GET") return { paths };
  if (operation === "updateOne" || operation === "deleteOne") {
    return { paths, headers: neverMatches, ...(operation === "updateOne" ? { body: {} } : {}) };
  }
  if (operation === "Ship") return { paths };
  return { paths, body: method === "DELETE" ? {} : wrong };
}
