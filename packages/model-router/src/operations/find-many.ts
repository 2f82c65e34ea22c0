import { isHttpError } from "@servicekit/core";
import type { JsonResult, Result } from "@servicekit/prisma";
import { toWhere } from "@servicekit/prisma/internal";
import type { Request } from "express";
import { readsEveryRow } from "../access/related-models.js";
import { accessOf } from "../access/request-access.js";
import { addModelState, modelLocals, modelQuery, modelState, type OrmQuery } from "../request/request-state.js";
import { maxCountedRows } from "../resource/config/counting.js";
import { allWhere } from "../resource/filter/where.js";
import { type CursorKeys, writeCursor } from "../resource/query/cursor.js";
import type { ListQuery } from "../resource/query/read-list-query.js";
import type { Row } from "../resource/values/to-json.js";
import { isExpensive } from "./expensive-reads.js";
import { linkHeader, type PageLinks } from "./link-header.js";
import type { OperationContext, RunOperation } from "./operation-context.js";
import { unreadError, unreadField } from "./unread-field.js";
import { withoutFields } from "./without-fields.js";

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
  const { count } = shown;
  const nextCursor = await checkCursor(context, found, list, shown);
  const locals = modelLocals(response);
  if ("json" in shown) addModelState(request, { json: shown.json });
  else locals.data = shown.rows;
  const counted = countOf(found, list, count);
  if (list.cursor !== undefined) {
    locals.meta = { ...counted.meta, count, limit: list.limit, nextCursor };
  } else if (list.page === undefined) {
    // The client uses its own `take` and `skip`, so page numbers do not match its rows.
    locals.meta = { ...counted.meta, count, limit: list.limit };
    return;
  } else {
    const { pages } = counted;
    locals.meta = { ...counted.meta, count, limit: list.limit, page: list.page, ...(pages !== undefined && { pages }) };
  }
  const link = linkHeader(request.originalUrl, pageLinks(list, count, counted.pages, nextCursor));
  if (link !== undefined) response.setHeader("Link", link);
};

/** The number of matching rows in `meta`, and that of pages if it is exact. */
function countOf(
  { total, isEstimated = false }: Result,
  { counting, limit, page }: ListQuery,
  count: number,
): { readonly meta: object; readonly pages?: number } {
  if (total === undefined) return { meta: {} };
  const seen = page === undefined ? count : (page - 1) * limit + count;
  // Not fewer than there are.
  if (isEstimated) return { meta: { total: Math.max(total, seen), estimated: true } };
  // A page that is not full shows the exact number.
  const isLast = page !== undefined && count > 0 && count < limit;
  const isLimited = counting !== "exact" && total > maxCountedRows && !isLast;
  if (isLimited) return { meta: { total: Math.max(maxCountedRows, seen), limited: true } };
  return { meta: { total }, pages: Math.ceil(total / limit) };
}

/** Reads and counts rows; as JSON if no step changes them, and in one statement with their number. */
async function read(
  { database, resource, isSentAsRead }: OperationContext,
  request: Request,
  list: ListQuery,
  args: OrmQuery,
): Promise<Result> {
  const isChanged = list.unshown.length > 0 || list.highlighted !== undefined || modelState(request).fill !== undefined;
  // An expensive list is counted after it was read, and not if reading it took too long (contract C59).
  const isJson = isSentAsRead && !isChanged && !isExpensive(list.cost);
  const seen = isJson ? { model: resource.model, models: accessOf(request).view.models } : undefined;
  const { where, search } = modelQuery(request);
  const { counting } = list;
  const take = counting === "exact" ? {} : { take: maxCountedRows + 1 };
  const total = counting === undefined ? undefined : { where, ...(search === undefined ? {} : { search }), ...take };
  const shown = list.cursor === undefined ? undefined : list.limit;
  const mayEstimate = counting === "estimated" && (await readsEveryRow(request, resource));
  return database.of(resource.model).execute({ operation: "findMany", args, total, shown, mayEstimate }, seen);
}

/** The returned rows, their number, and the next cursor. */
type Shown = ({ readonly rows: readonly Row[] } | Pick<JsonResult, "json">) & {
  readonly count: number;
  readonly nextCursor: string | null;
};

function cutToLimit(read: Result, list: ListQuery): Shown {
  const { cursor, limit, continued } = list;
  if ("rows" in read) {
    const { shown, nextCursor } = cutRows(read.rows, list);
    const last = shown.at(-1);
    const next = continued === undefined || last === undefined ? nextCursor : cursorAfter(continued, last);
    return { rows: shown, count: shown.length, nextCursor: next };
  }
  const { json, found, last } = read;
  if (cursor === undefined) {
    const next = continued === undefined || last === undefined ? null : cursorAfter(continued, JSON.parse(last) as Row);
    return { json, count: found, nextCursor: next };
  }
  const hasNext = found > limit && last !== undefined;
  const nextCursor = hasNext ? writeCursor(cursor, JSON.parse(last) as Row) : null;
  return { json, count: Math.min(found, limit), nextCursor };
}

/**
 * The next cursor if the database sorts its row by the values that were read.
 *
 * @returns `null` if it does not and the client requested pages
 * @throws {HttpError} 400 if it does not and the client requested a cursor
 */
async function checkCursor(
  { database, resource }: OperationContext,
  found: Result,
  { cursor, continued }: ListQuery,
  { count, nextCursor }: Shown,
): Promise<string | null> {
  const keys = cursor ?? continued;
  const last = "rows" in found ? found.rows[count - 1] : undefined;
  if (nextCursor === null || keys === undefined || last === undefined) return nextCursor;
  const unread = await unreadField(keys, last, resource, database);
  if (unread === undefined) return nextCursor;
  if (cursor === undefined) return null;
  throw unreadError(unread);
}

/** In cursor mode one additional row was read, which shows that there is a next page. */
function cutRows(rows: readonly Row[], list: ListQuery): { shown: readonly Row[]; nextCursor: string | null } {
  const { cursor, limit, unshown } = list;
  if (cursor === undefined) return { shown: rows, nextCursor: null };
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  const nextCursor = last === undefined ? null : writeCursor(cursor, last);
  return { shown: withoutFields(page, unshown), nextCursor };
}

/** The cursor of a row, unless its values are too long for a URL. */
function cursorAfter(keys: CursorKeys, row: Row): string | null {
  try {
    return writeCursor(keys, row);
  } catch (error) {
    if (isHttpError(error)) return null;
    throw error;
  }
}

/** @param pages the exact number of pages, if it is known */
function pageLinks(list: ListQuery, count: number, pages: number | undefined, nextCursor: string | null): PageLinks {
  const { page, limit } = list;
  if (page === undefined) {
    const next = nextCursor === null ? {} : { next: { cursor: nextCursor } };
    return { first: { cursor: "" }, ...next };
  }
  const last = pages === undefined ? undefined : Math.max(1, pages);
  const hasNext = last === undefined ? count === limit : page < last;
  // After many skipped rows a cursor is faster, and stable under inserts.
  const next = nextCursor === null ? { page: page + 1 } : { cursor: nextCursor };
  return {
    first: { page: 1 },
    ...(page > 1 ? { prev: { page: last === undefined ? page - 1 : Math.min(page - 1, last) } } : {}),
    ...(hasNext ? { next } : {}),
    ...(last === undefined ? {} : { last: { page: last } }),
  };
}
