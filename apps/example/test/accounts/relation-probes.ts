import type { Row } from "../api.js";
import type { AccountShop } from "./account-shop.js";
import type { Probe, Route } from "./probes.js";

/** Two writes of a row through another one, both without a change. */
export interface RelationProbe {
  /** The row with the relation: the existing one of the route's probe. */
  readonly path: string;
  readonly route: string;
  readonly relation: string;
  /** Identifies the existing related row, alone and with an unchanged field. */
  readonly bodies: { readonly connect: Row; readonly change: Row };
}

interface Resource {
  readonly name: string;
  readonly path: string;
  readonly fields: readonly { readonly name: string; readonly relation?: string }[];
}

/** The key of a row, if it is not `id`. */
const keys: Readonly<Record<string, readonly string[]>> = {
  "order-item": ["orderId", "line"],
  "product-supplier": ["productId", "supplierId"],
  coupon: ["code"],
};

/** A settable field of each model. */
const fields: Readonly<Record<string, string>> = {
  ...{ category: "name", tag: "name", product: "name", "product-image": "alt", supplier: "name", customer: "name" },
  ...{ "product-supplier": "leadDays", address: "street", coupon: "percent", order: "note", "order-item": "quantity" },
  ...{ payment: "method", review: "body", "stock-movement": "note", user: "email", "auth-role": "name" },
  ...{ "auth-permission": "action" },
};

/** Probes of every relation in the route table; none for those without a related row. */
export async function makeRelationProbes(
  shop: AccountShop,
  routes: readonly Route[],
  probes: ReadonlyMap<string, Probe>,
): Promise<readonly RelationProbe[]> {
  const listed = await shop.as<{ data: Resource[] }>("root", "GET", "/api/available-resources");
  const made: RelationProbe[] = [];
  for (const resource of listed.body.data) {
    const route = routes.find(({ path, operation }) => operation === "updateOne" && path === `${resource.path}/:id`);
    const [path] = probes.get(`PATCH ${route?.path}`)?.paths ?? [];
    if (route === undefined || path === undefined) continue;
    for (const { name, relation } of resource.fields) {
      if (relation === undefined) continue;
      const read = await shop.as<{ data: Row }>("root", "GET", `${path}?include=${name}`);
      const found = read.body.data?.[name];
      const row = (Array.isArray(found) ? found[0] : found) as Row | null | undefined;
      if (row === null || row === undefined) continue;
      const key: Row = Object.fromEntries((keys[relation] ?? ["id"]).map((field) => [field, row[field] ?? null]));
      const field = fields[relation] ?? "name";
      const put = (value: Row): Row => ({ [name]: Array.isArray(found) ? [value] : value });
      const bodies = { connect: put(key), change: put({ ...key, [field]: row[field] ?? null }) };
      made.push({ path, route: route.path, relation: name, bodies });
    }
  }
  return made;
}
