import type { Row } from "../api.js";
import type { AccountShop } from "./account-shop.js";
import type { Probe, Route } from "./probes.js";

/** Two ways to write a row by way of another one, which leave both as they are. */
export interface RelationProbe {
  /** The row that has the relation: the present one of the route's probe. */
  readonly path: string;
  readonly route: string;
  readonly relation: string;
  /** Names the row that hangs there already, alone and with a field as it stands. */
  readonly bodies: { readonly connect: Row; readonly change: Row };
}

interface Resource {
  readonly name: string;
  readonly path: string;
  readonly fields: readonly { readonly name: string; readonly relation?: string }[];
}

/** What names a row, where it is not `id`. */
const keys: Readonly<Record<string, readonly string[]>> = {
  "order-item": ["orderId", "line"],
  "product-supplier": ["productId", "supplierId"],
  coupon: ["code"],
};

/** A field of each model that bodies may set. */
const fields: Readonly<Record<string, string>> = {
  ...{ category: "name", tag: "name", product: "name", "product-image": "alt", supplier: "name", customer: "name" },
  ...{ "product-supplier": "leadDays", address: "street", coupon: "percent", order: "note", "order-item": "quantity" },
  ...{ payment: "method", review: "body", "stock-movement": "note", user: "email", "auth-role": "name" },
  ...{ "auth-permission": "action" },
};

/** Probes of every relation that hangs on a row of the route table; those without a related row have none. */
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
