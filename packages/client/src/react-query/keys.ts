import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";

/** The query key of a list: the model and the query. */
export const listKey = (resource: PropertyKey, query?: object): QueryKey => [resource, "list", query ?? {}];

/** The query key of a row: the model, its key and the query. */
export const rowKey = (resource: PropertyKey, key: unknown, shape?: object): QueryKey => [
  ...[resource, "row", key],
  shape ?? {},
];

/** Invalidates the queries of a model, and those of any model with relations, which may contain rows of this model. */
export async function invalidateResource(queries: QueryClient, resource: PropertyKey): Promise<void> {
  const predicate = (query: Query): boolean => concerns(query, resource);
  // A pending first response is older than the change, and React Query would not start another.
  await queries.cancelQueries({ predicate: (query) => predicate(query) && query.state.data === undefined });
  await queries.invalidateQueries({ predicate });
}

function concerns({ queryKey }: Query, resource: PropertyKey): boolean {
  const [model, kind] = queryKey;
  if (kind !== "list" && kind !== "row") return false;
  const query = queryKey.at(-1) as { readonly include?: object } | undefined;
  return model === resource || query?.include !== undefined;
}
