import { exactJsonText, responseTooLarge } from "@servicekit/prisma/internal";
import type { ServiceRouter } from "@servicekit/router";
import { declareRoute } from "@servicekit/router/internal";
import type { Request, RequestHandler } from "express";
import { operationAccess } from "../access/operation-access.js";
import { accessOf, callersResource, reachableWhere } from "../access/request-access.js";
import { notFound } from "../errors.js";
import { historyDocumentation } from "../openapi/history-documentation.js";
import { expensiveFrom } from "../operations/expensive-reads.js";
import { numberPage } from "../operations/number-page.js";
import { type HistorySource, visibleChanges } from "../operations/visible-changes.js";
import { sendResponse } from "../pipeline/send-response.js";
import { rawKey, rawSearch } from "../request/raw-path.js";
import { addModelState } from "../request/request-state.js";
import { hasRowRule } from "../resource/config/has-row-rule.js";
import type { Where } from "../resource/filter/where.js";
import { type KeyWhere, keyText, readKey } from "../resource/key.js";
import { readHistoryQuery } from "../resource/query/read-history-query.js";
import type { Resource } from "../resource/resource.js";
import type { ModelRoutes } from "../steps/route-source.js";

const suffix = "/:id/history";

/**
 * Declares `GET /<models>/:id/history`. It has the access rules of a read of one row, which it applies to each recorded
 * state of the row.
 */
export function declareHistory(router: ServiceRouter, routes: ModelRoutes, history: HistorySource): void {
  const { resource, config, source } = routes;
  const { model, path } = resource;
  declareRoute(router, {
    method: "get",
    config: {
      path: `/${path}${suffix}`,
      queryParser: false,
      ...(source.access === undefined
        ? {}
        : { authentication: operationAccess("findOne", model.resource, config.auth) }),
    },
    handlers: [source.accessStep, run(routes, history), sendResponse(resource, source.settings.responseBytes)],
    origin: {
      place: `the generated route history of the model ${model.name}`,
      resource: model.resource,
      operation: "history",
      model: model.name,
      ...(hasRowRule("findOne", config) ? { hasRowRule: true } : {}),
      documentation: () => historyDocumentation(resource),
    },
  });
}

function run({ resource, source }: ModelRoutes, history: HistorySource): RequestHandler {
  const { settings, inTurn } = source;
  return async (request, response, next) => {
    const own = callersResource(request, resource);
    const key = keyOf(request, own);
    const { resources } = accessOf(request).view;
    const { page, limit } = readHistoryQuery(rawSearch(request), own, {
      ...settings,
      resources,
      limits: settings.query,
    });
    const where = await reachableWhere(request, own, "findOne");
    const of = { model: own.model, key: keyText(own.model, key), limit };
    const batches = visibleChanges(history, of, { where, fields: own.shown.findOne.fields });
    const needed = page * limit + 1;
    const pageTexts: string[] = [];
    let bytes = 0;
    let seen = 0;
    let isReadable = false;
    /** Whether there are further changes to read. */
    const readBatch = async (): Promise<boolean> => {
      const { value: batch } = await batches.next();
      if (batch === undefined) return false;
      for (const change of batch.changes) {
        seen += 1;
        if (seen <= needed - 1 - limit || seen >= needed) continue;
        const text = exactJsonText(change);
        pageTexts.push(text);
        bytes += Buffer.byteLength(text);
        if (bytes > settings.responseBytes) throw responseTooLarge(settings.responseBytes, pageTexts.length - 1);
      }
      isReadable ||= batch.isReadable;
      return seen < needed;
    };
    if (await readBatch()) {
      // A history of any length is read, as rules may hide its changes.
      await inTurn(expensiveFrom, { request, response }, async () => {
        while (!response.destroyed && (await readBatch()));
      });
    }
    if (!isReadable && !(await exists(key, where, own, source))) throw notFound(own);
    addModelState(request, { json: `[${pageTexts.join()}]` });
    numberPage({ page, limit, count: pageTexts.length, hasMore: seen >= needed }, request, response);
    next();
  };
}

/** Whether the caller may read the current row, which may have no changes. */
async function exists(
  key: KeyWhere,
  rows: Where | undefined,
  { model, keySelect }: Resource,
  { database }: ModelRoutes["source"],
): Promise<boolean> {
  const where = rows === undefined ? key : { ...key, AND: [rows] };
  return (await database.reads.of(model).findUnique({ where, select: keySelect })) !== null;
}

function keyOf(request: Request, own: Resource): KeyWhere {
  const key = readKey(own.model, rawKey(request, suffix));
  if (key === undefined) throw notFound(own);
  return key;
}
