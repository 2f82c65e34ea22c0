import { setTimeout } from "node:timers/promises";
import { isHttpError } from "@servicekit/core";
import type { Row as StoredRow } from "@servicekit/prisma";
import { foundRows, rowsWhere, sizeOf, toWhere } from "@servicekit/prisma/internal";
import type { Request, Response } from "express";
import { hideInErrors } from "../access/hide-in-errors.js";
import { accessOf, callersResource } from "../access/request-access.js";
import { atOperation } from "../operations/at-operation.js";
import { expensiveFrom } from "../operations/expensive-reads.js";
import { selectOf, valuesText } from "../operations/find-rows.js";
import { unreadError, unreadField } from "../operations/unread-field.js";
import { withoutFields } from "../operations/without-fields.js";
import { includeBudget } from "../pipeline/include-budget.js";
import { type ModelState, modelQuery, modelState, type OrmQuery, setModelQuery } from "../request/request-state.js";
import { modelErrors } from "../resource/errors.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type CursorKeys, rowsAfter } from "../resource/query/cursor.js";
import type { ListQuery } from "../resource/query/read-list-query.js";
import type { Row } from "../resource/values/to-json.js";
import type { ModelRoutes } from "../steps/route-source.js";

/** The number of rows of the first page. Later ones have as many as fit into {@link pageBytes}. */
const firstRows = 100;
const maxRows = 2_000;
const pageBytes = 128 * 1024;
/** The number of keys that are read together. */
const keyRows = 20_000;

/** How often, and after how many milliseconds, a page is requested again while the queue of expensive queries is full. */
const retries = 60;
const retryMs = 500;

/** What the pages of one export share. */
interface Export {
  readonly request: Request;
  readonly response: Response;
  readonly routes: ModelRoutes;
  readonly list: ListQuery;
  /** Query and state as the steps before have set them; each page starts from them. */
  readonly query: OrmQuery;
  readonly state: ModelState;
  readonly max: number;
}

/**
 * Reads all rows of an export in pages (contract C104). A page follows the last row of the page before it, so that each
 * is one short query, no connection is used between them, and memory does not grow. Without a unique key as the first value
 * of the order, the keys of many rows are read together, and those of all rows if the order cannot be followed.
 *
 * @throws {HttpError} 400 `ExportTooLarge` before the first page for more rows than the maximum, unless the client limits
 *   their number
 */
export async function* readPages(
  request: Request,
  response: Response,
  routes: ModelRoutes,
): AsyncGenerator<readonly Row[], void, undefined> {
  const state = modelState(request);
  const { list } = state;
  if (list === undefined) throw new TypeError("The query options of this list were never read.");
  const max = routes.source.settings.exportRows;
  const all: Export = { request, response, routes, list, state, query: { ...modelQuery(request) }, max };
  const pages = await inSteps(all, () => start(all));
  yield* pages;
}

/** Checks the number of rows, and chooses how they are read. */
async function start(all: Export): Promise<AsyncIterable<readonly Row[]>> {
  const { list, query, max, routes } = all;
  const rows = routes.source.database.reads.of(routes.resource.model);
  const isLimited = list.isLimited || query.take !== list.options.take;
  const { where, search } = query;
  const counted = { where, take: max + 1, ...(search === undefined ? {} : { search }) };
  if (!isLimited && (await rows.count(counted)) > max) throw tooLarge(max);
  // A hook may have changed the order, or the rows that it starts with.
  const isFollowed =
    query.orderBy === list.options.orderBy &&
    query.skip === 0 &&
    query.cursor === undefined &&
    query.distinct === undefined;
  // The rows may have increased since they were counted: one more shows it.
  const wanted = isLimited ? Math.min(Math.abs(query.take ?? max), max) : max + 1;
  if (list.cursor !== undefined && isFollowed)
    return isOfUniqueKey(list.cursor, routes.resource)
      ? followRows(all, list.cursor, wanted)
      : followKeys(all, list.cursor, wanted);
  const { identity } = routes.resource;
  const { select: _, ...keyQuery } = query;
  const keys = await rows.findMany({ ...keyQuery, take: wanted, select: selectOf(identity) });
  if (keys.length > max) throw tooLarge(max);
  return rowsOfKeys(all, keys);
}

/** Whether an index of the database certainly has this order. */
const isOfUniqueKey = ([first]: CursorKeys, { model: { uniqueKeys } }: ModelRoutes["resource"]): boolean =>
  uniqueKeys.some(({ fields }) => fields[0]?.name === first?.field.name);

/**
 * Reads the keys of many rows, and then the rows of some keys at a time: without an index each page of an order reads and
 * sorts all rows, so there are few of them.
 */
async function* followKeys(all: Export, keys: CursorKeys, wanted: number): AsyncGenerator<readonly Row[]> {
  const { routes, query } = all;
  const { model, identity } = routes.resource;
  const rows = routes.source.database.reads.of(model);
  const select = selectOf([...identity, ...keys.map(({ field }) => field)]);
  let after: ListQuery["after"];
  for (let left = wanted; left > 0; ) {
    const where = allWhere([query.where, after && toWhere(after, model)]) ?? {};
    const { found, taken } = await readFitting(all, Math.min(keyRows, left), (take) =>
      rows.findMany({ ...query, where, select, take }),
    );
    left -= found.length;
    if (wanted > all.max && left <= 0) throw tooLarge(all.max);
    const last = found.at(-1);
    yield* rowsOfKeys(all, found);
    if (last === undefined || found.length < taken) return;
    after = await afterRow(all, keys, last);
  }
}

/** Reads pages of which each follows the last row of the page before. */
async function* followRows(all: Export, keys: CursorKeys, wanted: number): AsyncGenerator<readonly Row[]> {
  let left = wanted;
  let after: ListQuery["after"];
  for (let size = firstRows; left > 0; ) {
    const page = await readPage(all, Math.min(size, left), (take) => ({ take, after }));
    left -= page.rows.length;
    if (wanted > all.max && left <= 0) throw tooLarge(all.max);
    const last = page.rows.at(-1);
    if (last !== undefined) after = await afterRow(all, keys, last);
    if (page.rows.length > 0) yield withoutFields(page.rows, all.list.unshown);
    if (page.rows.length < page.taken) return;
    size = page.nextSize;
  }
}

/**
 * The filter of the rows after this one.
 *
 * @throws {HttpError} 400 if they are unknown
 */
async function afterRow({ routes }: Export, keys: CursorKeys, row: Row): Promise<ListQuery["after"]> {
  const unread = await unreadField(keys, row, routes.resource, routes.source.database.reads);
  if (unread !== undefined) throw unreadError(unread);
  return rowsAfter(keys, row);
}

/** Reads the rows of these keys, in this order; deleted ones are left out. */
async function* rowsOfKeys(all: Export, keys: readonly Row[]): AsyncGenerator<readonly Row[]> {
  const { identity } = all.routes.resource;
  const names = identity.map(({ name }) => name);
  let size = firstRows;
  for (let at = 0; at < keys.length; ) {
    const start = at;
    const page = await readPage(all, Math.min(size, keys.length - at), (take) => ({
      take,
      where: rowsWhere(names, keys.slice(start, start + take)),
    }));
    at += page.taken;
    size = Math.min(page.nextSize, maxKeys);
    const byKey = new Map(page.rows.map((row) => [valuesText(identity, row), row]));
    const inOrder = keys
      .slice(start, at)
      .map((key) => byKey.get(valuesText(identity, key)))
      .filter((row) => row !== undefined);
    if (inOrder.length > 0) yield withoutFields(inOrder, all.list.unshown);
  }
}

/** Maximum number of keys per query, because each is a parameter. */
const maxKeys = 500;

/** Which rows a page has, besides those of the export. */
interface PageQuery {
  readonly take: number;
  readonly after?: ListQuery["after"];
  readonly where?: Where;
}

interface ReadPage {
  readonly rows: readonly StoredRow[];
  /** The number of rows that were requested. */
  readonly taken: number;
  /** A number of rows for the next page. */
  readonly nextSize: number;
}

async function readPage(all: Export, size: number, queryOf: (take: number) => PageQuery): Promise<ReadPage> {
  const { found: rows, taken } = await readFitting(all, size, (take) => runPage(all, queryOf(take)));
  const bytes = sizeOf(rows, Number.POSITIVE_INFINITY);
  const fitting = rows.length === 0 ? taken : Math.floor((rows.length * pageBytes) / Math.max(bytes, 1));
  return { rows, taken, nextSize: Math.max(1, Math.min(fitting, 2 * taken, maxRows)) };
}

/** Reads rows; if they are too large for one response, or include too many others, fewer. */
async function readFitting(
  all: Export,
  size: number,
  read: (take: number) => Promise<readonly StoredRow[]>,
): Promise<{ readonly found: readonly StoredRow[]; readonly taken: number }> {
  for (let take = size; ; ) {
    try {
      return { found: await inSteps(all, () => read(take)), taken: take };
    } catch (error) {
      if (take === 1 || !isTooLarge(error)) throw error;
      take = Math.ceil(take / 4);
    }
  }
}

const isTooLarge = (error: unknown): boolean =>
  isHttpError(error) &&
  (error.code === "ResponseTooLarge" || error.errors?.some(({ code }) => code === "TooManyRows") === true);

async function runPage(all: Export, { take, after, where }: PageQuery): Promise<readonly StoredRow[]> {
  const { request, routes, list, query, state } = all;
  const { resource, include, source } = routes;
  const { reads: database } = source.database;
  const { model } = callersResource(request, resource);
  const own: OrmQuery = { ...query, where: allWhere([query.where, where]) ?? {}, take, skip: 0 };
  setModelQuery(request, own, { ...state, list: { ...list, after } });
  await includeBudget(resource, database, include)(request);
  const found = modelQuery(request);
  const args = { ...found, where: allWhere([found.where, after && toWhere(after, model)]) ?? {} };
  const result = await database.of(model).execute({ operation: "findMany", args });
  if ("json" in result) throw new TypeError(`An export needs rows, not JSON of ${foundRows(result)} rows.`);
  await modelState(request).fill?.(result.rows, database);
  return result.rows;
}

/** Runs the queries of one step of the export as expensive work, with the errors of the list. */
async function inSteps<T>({ request, response, routes, state }: Export, work: () => Promise<T>): Promise<T> {
  const { inTurn } = routes.source;
  const cost = Math.max(state.cost ?? 0, expensiveFrom);
  for (let retry = 0; ; retry++) {
    try {
      return await inTurn(cost, { request, response }, work);
    } catch (error) {
      // A started file cannot be repeated by the client from where it ended.
      const isBusy = isHttpError(error) && error.code === "DatabaseBusy";
      if (!isBusy || !response.headersSent || retry === retries || response.closed)
        throw atOperation(hideInErrors(error, routes.resource.model, accessOf(request).view), "findMany", request);
      await setTimeout(retryMs);
    }
  }
}

function tooLarge(max: number): Error {
  const message = `The export has more than ${max} rows (limits.exportRows). Narrow it with filters, or set limit to export the first rows of its order.`;
  return modelErrors.ExportTooLarge(message, {
    errors: [{ in: "query", path: "", code: "ExportTooLarge", message }],
  });
}
