import { pipeline } from "node:stream/promises";
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
import { type ExportFormat, exportFormatOf, exportTypes } from "./export-format.js";
import { readPages } from "./read-pages.js";

/** The number of rows that are converted to text together. */
const sliceRows = 100;

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
    const toText = await writers[format](rowsOfFirst, request, routes);
    response.status(200);
    response.setHeader("Content-Type", `${exportTypes[format]}; charset=utf-8`);
    response.setHeader("Content-Disposition", `attachment; filename="${fileName(resource.path)}.${format}"`);
    if (request.method === "HEAD") {
      await pages.return(undefined);
      response.end();
      return undefined;
    }
    const texts = async function* (): AsyncGenerator<string> {
      yield* inSlices(rowsOfFirst, toText);
      for await (const page of pages) yield* inSlices(page, toText);
    };
    await pipeline(texts(), response);
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

/** Writes rows as text; the first call also writes what precedes them. */
type ToText = (rows: readonly Row[]) => string;

type Writer = (first: readonly Row[], request: Request, routes: ModelRoutes) => ToText | Promise<ToText>;

const writers: Readonly<Record<ExportFormat, Writer>> = {
  ndjson: () => (rows) => rows.map((row) => `${withExactNumbers(toJsonText(row))}\n`).join(""),
  csv: async (first, request, routes) => {
    const { stringify } = await import("csv-stringify/sync");
    const { model } = callersResource(request, routes.resource);
    const { list } = modelState(request);
    const { select } = modelQuery(request);
    // A row rule reads only the key of a related row with the rows: the columns are those of the request.
    const wanted = list?.options.select ?? select;
    const isShown = (name: string): boolean => select[name] !== undefined && list?.unshown.includes(name) !== true;
    const columns = columnsOf(wanted, isShown, model, accessOf(request).view.models, first);
    let head: readonly (readonly unknown[])[] = [columns.map(columnName)];
    return (rows) => {
      const records = [...head, ...rows.map((row) => cellsOf(row, columns))];
      head = [];
      return stringify(records, { record_delimiter: "\r\n", quoted_match: quotedTexts });
    };
  },
};

/**
 * The texts that are quoted besides those with a comma or a quote: an empty one, so that it differs from null, those that a
 * reader may trim, and those with a line break of any kind: the writer looks only for that of its records.
 */
const quotedTexts = /^$|^\s|\s$|[\r\n]/;

/** The text of rows, a few at a time. The first piece is written even without rows. */
function* inSlices(rows: readonly Row[], toText: ToText): Generator<string, void, undefined> {
  for (let at = 0; at === 0 || at < rows.length; at += sliceRows) yield toText(rows.slice(at, at + sliceRows));
}

/** The path of a resource may be configured; a header and a file name allow fewer characters. */
const fileName = (path: string): string => path.replaceAll(/[^\w.-]+/g, "_");
