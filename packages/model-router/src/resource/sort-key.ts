import type { StoredField } from "@servicekit/prisma";
import type { DefaultListOptions, DefaultOrder } from "./config/resource-config.js";

/** One sort key: a field, through to-one relations or of the model itself. */
export interface SortKey {
  readonly path: readonly string[];
  readonly field: StoredField;
  readonly direction: "asc" | "desc";
}

/** The keys of the default order, without those hidden from the caller. */
export function defaultSort(
  orderBy: DefaultListOptions["orderBy"],
  fields: ReadonlyMap<string, StoredField>,
): readonly SortKey[] {
  const orders = ([] as DefaultOrder[]).concat(orderBy ?? []);
  return orders.flatMap((order) =>
    Object.entries(order).flatMap(([name, direction]): SortKey[] => {
      const field = fields.get(name);
      return field === undefined ? [] : [{ path: [name], field, direction }];
    }),
  );
}
