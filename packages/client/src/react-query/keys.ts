import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** The key of a list: the model, and the question. */
export const listKey = (resource: PropertyKey, question?: object): QueryKey => [resource, "list", question ?? {}];

/** The key of a row: the model, what names the row, and what is asked of it. */
export const rowKey = (resource: PropertyKey, key: unknown, shape?: object): QueryKey => [
  ...[resource, "row", key],
  shape ?? {},
];

/**
 * Says that rows of a model have changed: what was read of it, and what was read of any model with relations, which may hold
 * rows of this one, is read again where it is shown.
 */
export async function invalidateResource(queries: QueryClient, resource: PropertyKey): Promise<void> {
  const predicate = (query: Query): boolean => concerns(query, resource);
  // A first answer that is on its way is older than the change, and no other is asked for beside it.
  await queries.cancelQueries({ predicate: (query) => predicate(query) && query.state.data === undefined });
  await queries.invalidateQueries({ predicate });
}

function concerns({ queryKey }: Query, resource: PropertyKey): boolean {
  const [model, kind] = queryKey;
  if (kind !== "list" && kind !== "row") return false;
  const asked = queryKey.at(-1) as { readonly include?: object } | undefined;
  return model === resource || asked?.include !== undefined;
}
