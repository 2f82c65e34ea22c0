import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { Page } from "../resources/resource-client.js";

type Row = Readonly<Record<string, unknown>>;

/** The cached data before a pending change. */
export type Snapshot = readonly (readonly [QueryKey, unknown])[];

/**
 * Shows a change before the response: in the queries of the row, and in the lists whose rows have an `id`, for the
 * fields that they contain and the change sets. Relations and server-side values arrive with the response.
 *
 * @returns the previous data, for {@link restore}
 */
export async function showChange(
  queries: QueryClient,
  resource: PropertyKey,
  key: unknown,
  changes: unknown,
): Promise<Snapshot> {
  // A pending response is older than the change.
  await queries.cancelQueries({ queryKey: [resource] });
  const before = queries.getQueriesData<unknown>({ queryKey: [resource] });
  const changed = (row: Row): Row => withChanges(row, Object(changes));
  const inList = (row: Row): Row => (Object.hasOwn(row, "id") && isSame(row.id, key) ? changed(row) : row);
  for (const [queryKey, known] of before) {
    if (known === undefined) continue;
    const [, kind, named] = queryKey;
    if (kind === "row" && isSame(named, key)) {
      const { data } = known as { readonly data: Row };
      queries.setQueryData(queryKey, { ...known, data: changed(data) });
    } else if (kind === "list") queries.setQueryData(queryKey, inPages(known as Listed, inList));
  }
  return before;
}

/** Restores the data before a rejected change. */
export function restore(queries: QueryClient, before: Snapshot | undefined): void {
  for (const [queryKey, known] of before ?? []) queries.setQueryData(queryKey, known);
}

type Listed = Page<Row> | InfiniteData<Page<Row>>;

function inPages(known: Listed, change: (row: Row) => Row): Listed {
  const inPage = (page: Page<Row>): Page<Row> => ({ ...page, data: page.data.map(change) });
  return "pages" in known ? { ...known, pages: known.pages.map(inPage) } : inPage(known);
}

function withChanges(row: Row, changes: Row): Row {
  const shown = Object.entries(changes).filter(
    ([name, value]) => Object.hasOwn(row, name) && (typeof value !== "object" || value === null),
  );
  // A number that is transferred as text is shown as text.
  const converted = shown.map(([name, value]) => {
    const isText = typeof row[name] === "string" && typeof value === "number";
    return [name, isText ? String(value) : value];
  });
  return { ...row, ...Object.fromEntries(converted) };
}

/** Keys are transferred as text or as numbers, and a key of several fields as a list. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify([one].flat().map(String)) === JSON.stringify([other].flat().map(String));
