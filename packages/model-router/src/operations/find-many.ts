import type { JsonResult, Result } from "@servicekit/prisma";
import { toWhere } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { accessOf } from "../access/request-access.js";
import { addModelState, modelLocals, modelQuery, modelState, type OrmQuery } from "../request-state.js";
import { allWhere } from "../resource/filter/where.js";
import { writeCursor } from "../resource/query/cursor.js";
import type { ListQuery } from "../resource/query/read-list-query.js";
import type { Row } from "../resource/values/to-json.js";
import { isExpensive } from "./expensive-reads.js";
import { linkHeader, type PageLinks } from "./link-header.js";
import type { OperationContext, RunOperation } from "./operation-context.js";

/** Lists rows, with their total unless it is disabled (contract C1, C8). */
export const findMany: RunOperation = async (context, request, response) => {
  const { resource } = context;
  const { list } = modelState(request);
  if (list === undefined) throw new TypeError("The query options of this list were never read.");
  const after = list.after && toWhere(list.after, resource.model);
  const options = modelQuery(request);
  const args = { ...options, where: allWhere([options.where, after]) ?? {} };
  const found = await read(context, request, list, args);
  const shown = cutToLimit(found, list);
  const { count, nextCursor } = shown;
  const locals = modelLocals(response);
  if ("json" in shown) addModelState(request, { json: shown.json });
  else locals.data = shown.rows;
  const { total } = found;
  const totals = total === undefined ? {} : { total };
  if (list.cursor !== undefined) {
    locals.meta = { ...totals, count, limit: list.limit, nextCursor };
  } else if (list.page === undefined) {
    // The client uses its own `take` and `skip`, so page numbers do not match its rows.
    locals.meta = { ...totals, count, limit: list.limit };
    return;
  } else {
    const pages = total === undefined ? {} : { pages: Math.ceil(total / list.limit) };
    locals.meta = { ...totals, count, limit: list.limit, page: list.page, ...pages };
  }
  const link = linkHeader(request.originalUrl, pageLinks(list, count, total, nextCursor));
  if (link !== undefined) response.setHeader("Link", link);
};

/** Reads and counts rows; as JSON if no step changes them, and in one statement with their number. */
function read(
  { database, resource, isSentAsRead }: OperationContext,
  request: Request,
  list: ListQuery,
  args: OrmQuery,
): Promise<Result> {
  const isChanged = list.unshown.length > 0 || modelState(request).fill !== undefined;
  // An expensive list is counted after it was read, and not if reading it took too long (contract C59).
  const isJson = isSentAsRead && !isChanged && !isExpensive(list.cost);
  const seen = isJson ? { model: resource.model, models: accessOf(request).view.models } : undefined;
  const total = list.wantsTotal ? { where: modelQuery(request).where } : undefined;
  const shown = list.cursor === undefined ? undefined : list.limit;
  return database.of(resource.model).execute({ operation: "findMany", args, total, shown }, seen);
}

/** The returned rows, their number, and the next cursor. */
type Shown = ({ readonly rows: readonly Row[] } | Pick<JsonResult, "json">) & {
  readonly count: number;
  readonly nextCursor: string | null;
};

function cutToLimit(read: Result, list: ListQuery): Shown {
  if ("rows" in read) {
    const { shown, nextCursor } = cutRows(read.rows, list);
    return { rows: shown, count: shown.length, nextCursor };
  }
  const { json, found, last } = read;
  const { cursor, limit } = list;
  if (cursor === undefined) return { json, count: found, nextCursor: null };
  const hasNext = found > limit && last !== undefined;
  const nextCursor = hasNext ? writeCursor(cursor, JSON.parse(last) as Row) : null;
  return { json, count: Math.min(found, limit), nextCursor };
}

/** In cursor mode one additional row was read, which shows that there is a next page. */
function cutRows(rows: readonly Row[], list: ListQuery): { shown: readonly Row[]; nextCursor: string | null } {
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
