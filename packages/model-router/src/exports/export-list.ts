import { pipeline } from "node:stream/promises";
import { makePause } from "@servicekit/core/internal";
import { withExactNumbers } from "@servicekit/prisma/internal";
import { toJsonText } from "@servicekit/router/internal";
import type { Request, RequestHandler, Response } from "express";
import { accessOf, callersResource } from "../access/request-access.js";
import { modelLocals, modelQuery, modelState } from "../request/request-state.js";
import { type Row, toJsonRows } from "../resource/values/to-json.js";
import { operationSteps } from "../steps/operation-steps.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { runSteps } from "../steps/run-steps.js";
import { cellsOf, columnName, columnsOf } from "./columns.js";
import { csvRecord } from "./csv-record.js";
import { type ExportFormat, exportFormatOf, exportTypes } from "./export-format.js";
import { readPages } from "./read-pages.js";

/** The number of characters that are written together. */
const pieceLength = 64 * 1024;

/**
 * Handles a list that is requested as CSV or as newline-delimited JSON (contract C104): all rows that match, as a stream,
 * with the hooks and rules of the list. Other requests continue to the next handlers.
 */
export function exportList(routes: ModelRoutes): RequestHandler {
  const { resource, source } = routes;
  const rows = source.settings.exportRows;
  const stepsOf = (isTable: boolean) => operationSteps("findMany", routes, { exported: { rows, isTable } });
  const steps = { csv: stepsOf(true), ndjson: stepsOf(false) };
  return async (request, response, next) => {
    response.vary("Accept");
    const format = exportFormatOf(request);
    if (format === undefined) return next();
    const { before, after } = steps[format];
    await runSteps(before, request, response);
    const pages = shownPages(request, response, routes, after);
    // Everything that can be wrong with the request is an error before the first byte.
    const first = await pages.next();
    const rowsOfFirst = first.done === true ? [] : first.value;
    const writer = writers[format](rowsOfFirst, request, routes);
    response.status(200);
    response.setHeader("Content-Type", `${exportTypes[format]}; charset=utf-8`);
    response.setHeader("Content-Disposition", `attachment; filename="${fileName(resource.path)}.${format}"`);
    if (request.method === "HEAD") {
      await pages.return(undefined);
      response.end();
      return undefined;
    }
    await pipeline(inPieces(rowsOfFirst, pages, writer), response);
    return undefined;
  };
}

/** The rows of each page as a response contains them, after the hooks. */
async function* shownPages(
  request: Request,
  response: Response,
  routes: ModelRoutes,
  hooks: readonly RequestHandler[],
): AsyncGenerator<readonly Row[], void, undefined> {
  const { model } = callersResource(request, routes.resource);
  const { models } = accessOf(request).view;
  for await (const rows of readPages(request, response, routes)) {
    const locals = modelLocals(response);
    locals.data = rows;
    locals.meta = { count: rows.length };
    if (hooks.length > 0) await runSteps(hooks, request, response);
    const shown = toJsonRows(locals.data, model, models);
    yield Array.isArray(shown) ? (shown as readonly Row[]) : [];
  }
}

/** How the rows of an export are written. */
interface Writer {
  /** The text before the first row. */
  readonly head: string;
  readonly toText: (row: Row) => string;
}

type MakeWriter = (first: readonly Row[], request: Request, routes: ModelRoutes) => Writer;

const writers: Readonly<Record<ExportFormat, MakeWriter>> = {
  ndjson: () => ({ head: "", toText: (row) => `${withExactNumbers(toJsonText(row))}\n` }),
  csv: (first, request, routes) => {
    const { model } = callersResource(request, routes.resource);
    const { list } = modelState(request);
    const { select } = modelQuery(request);
    // A row rule reads only the key of a related row with the rows: the columns are those of the request.
    const wanted = list?.options.select ?? select;
    const isShown = (name: string): boolean => select[name] !== undefined && list?.unshown.includes(name) !== true;
    const columns = columnsOf(wanted, isShown, model, accessOf(request).view.models, first);
    return { head: csvRecord(columns.map(columnName)), toText: (row) => csvRecord(cellsOf(row, columns)) };
  },
};

/** The text of pages, in slices of ten milliseconds, so that other requests are handled between them. */
async function* inPieces(
  first: readonly Row[],
  others: AsyncIterable<readonly Row[]>,
  { head, toText }: Writer,
): AsyncGenerator<string, void, undefined> {
  const pause = makePause();
  const pages = async function* (): AsyncGenerator<readonly Row[]> {
    yield first;
    yield* others;
  };
  let piece = head;
  for await (const page of pages()) {
    for (const row of page) {
      piece += toText(row);
      const next = pause();
      if (next === undefined && piece.length < pieceLength) continue;
      yield piece;
      piece = "";
      await next;
    }
    if (piece !== "") yield piece;
    piece = "";
  }
}

/** The path of a resource may be configured; a header and a file name allow fewer characters. */
const fileName = (path: string): string => path.replaceAll(/[^\w.-]+/g, "_");
