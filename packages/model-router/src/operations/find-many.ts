import type { ListQuery, Row } from "@servicekit/resource";
import { allWhere, linkHeader, type PageLinks, toWhere, writeCursor } from "@servicekit/resource";
import { modelLocals, modelQuery, modelState } from "../request-state.js";
import type { RunOperation } from "./run-operation.js";

/** Lists rows, with their total unless it is not wanted (contract C1, C8). */
export const findMany: RunOperation = async ({ database, resource, readList }, request, response) => {
  const { list } = modelState(request);
  if (list === undefined) throw new TypeError("The query options of this list were never read.");
  const { select, ...options } = modelQuery(request);
  const delegate = database.of(resource.model);
  const after = list.after && toWhere(list.after, resource.model);
  const [rows, total] = await readList(
    list.cost,
    { request, response },
    () => delegate.findMany({ ...options, where: allWhere([options.where, after]) ?? {}, select }),
    async () => (list.wantsTotal ? delegate.count({ where: options.where }) : undefined),
  );
  const { shown, nextCursor } = cutToLimit(rows, list);
  const totals = total === undefined ? {} : { total };
  const locals = modelLocals(response);
  locals.data = shown;
  if (list.cursor !== undefined) {
    locals.meta = { ...totals, count: shown.length, limit: list.limit, nextCursor };
  } else if (list.page === undefined) {
    // The client counts by its own `take` and `skip`: no page of ours begins where its rows do.
    locals.meta = { ...totals, count: shown.length, limit: list.limit };
    return;
  } else {
    const pages = total === undefined ? {} : { pages: Math.ceil(total / list.limit) };
    locals.meta = { ...totals, count: shown.length, limit: list.limit, page: list.page, ...pages };
  }
  const link = linkHeader(request.originalUrl, pageLinks(list, shown.length, total, nextCursor));
  if (link !== undefined) response.setHeader("Link", link);
};

/** In cursor mode one row too many was read: it says that there is a next page, and is not shown. */
function cutToLimit(rows: readonly Row[], list: ListQuery): { shown: readonly Row[]; nextCursor: string | null } {
  const { cursor, limit, unshown } = list;
  if (cursor === undefined) return { shown: rows, nextCursor: null };
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? null : writeCursor(cursor, last);
  if (unshown.length === 0) return { shown: page, nextCursor };
  const shown = page.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !unshown.includes(name))));
  return { shown, nextCursor };
}

function pageLinks(list: ListQuery, count: number, total: number | undefined, nextCursor: string | null): PageLinks {
  const { page, limit } = list;
  if (page === undefined) {
    const next = nextCursor === null ? {} : { next: nextCursor };
    return { parameter: "cursor", targets: { first: "", ...next } };
  }
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / limit));
  const hasNext = last === undefined ? count === limit : page < last;
  return {
    parameter: "page",
    targets: {
      first: "1",
      ...(page > 1 ? { prev: String(last === undefined ? page - 1 : Math.min(page - 1, last)) } : {}),
      ...(hasNext ? { next: String(page + 1) } : {}),
      ...(last === undefined ? {} : { last: String(last) }),
    },
  };
}
