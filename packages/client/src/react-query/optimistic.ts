import type { InfiniteData, QueryClient, QueryKey } from "@tanstack/react-query";
import type { Page } from "../resources/resource-client.js";

type Row = Readonly<Record<string, unknown>>;

/** What was known before a change that is not yet answered. */
export type Snapshot = readonly (readonly [QueryKey, unknown])[];

/**
 * Shows a change before it is answered: in the reads of the row, and in the lists whose rows have an `id`, the fields that they
 * show and the change sets. Relations, and what the service makes of a value, come with the answer.
 *
 * @returns what was known before, for {@link restore}
 */
export async function showChange(
  queries: QueryClient,
  resource: PropertyKey,
  key: unknown,
  changes: unknown,
): Promise<Snapshot> {
  // An answer that is on its way is older than the change.
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

/** Shows again what was known before a change that was refused. */
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
  // A number that travels as text is shown as text.
  const told = shown.map(([name, value]) => {
    const isText = typeof row[name] === "string" && typeof value === "number";
    return [name, isText ? String(value) : value];
  });
  return { ...row, ...Object.fromEntries(told) };
}

/** Keys travel as text or as numbers, and a key of several fields is a list. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify([one].flat().map(String)) === JSON.stringify([other].flat().map(String));
