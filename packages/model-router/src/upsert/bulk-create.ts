import { readTerms } from "@servicekit/query-parser/internal";
import { composeHandlers } from "@servicekit/router/internal";
import type { RequestHandler } from "express";
import { callersResource } from "../access/request-access.js";
import { setDryRun } from "../request/dry-run-state.js";
import { rawSearch } from "../request/raw-path.js";
import { modelLocals } from "../request/request-state.js";
import { placeOfList } from "../resource/body/list-in-data.js";
import { QueryIssues } from "../resource/filter/query-issues.js";
import type { Row } from "../resource/values/to-json.js";
import { operationSteps } from "../steps/operation-steps.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { sendDryRun } from "./dry-run.js";
import { makePart } from "./part.js";
import { readDryRun } from "./read-dry-run.js";
import { rollBack } from "./roll-back.js";
import { type BulkCreateHandler, upsertMany } from "./upsert-many.js";

/**
 * The handlers of the parameters of a bulk create: `onConflict` and `resolution` (contract C99), and `dryRun` (contract
 * C104). Requests without them continue to the steps of the operation.
 */
export function bulkCreate(routes: ModelRoutes, takesUpserts: boolean): readonly RequestHandler[] {
  const upsert = takesUpserts ? upsertMany(routes) : undefined;
  if (routes.config.import === true) return [createOrRehearse(routes, upsert)];
  if (upsert === undefined) return [];
  return [
    async (request, response, next) => {
      if (!(await upsert(request, response, next, { search: rawSearch(request), isDryRun: false }))) next();
    },
  ];
}

/** Handles a bulk create of a model that supports dry runs. */
function createOrRehearse(routes: ModelRoutes, upsert: BulkCreateHandler | undefined): RequestHandler {
  const { settings } = routes.source;
  const steps = operationSteps("createMany", routes, { search: "" });
  const create = composeHandlers([...steps.before, steps.run, ...steps.after, steps.send]);
  const rehearse = rehearseCreate(routes);
  const names = ["dryRun", ...(upsert === undefined ? [] : ["onConflict", "resolution"])];
  return async (request, response, next) => {
    const { isDryRun, rest: search } = readDryRun(rawSearch(request), settings.query);
    if (isDryRun === true) setDryRun(request);
    if (await upsert?.(request, response, next, { search, isDryRun: isDryRun === true })) return undefined;
    if (isDryRun === undefined) return next();
    const issues = new QueryIssues();
    for (const { name } of readTerms(search, { parseDoubleUnderscore: false, limits: settings.query }))
      issues.add(name, "UnknownParameter", `Unknown parameter ${name}; expected ${names.join(", ")}.`);
    issues.check();
    return (isDryRun ? rehearse : create)(request, response, next);
  };
}

/** Creates all rows in a transaction that is rolled back, with the hooks before the create. */
function rehearseCreate(routes: ModelRoutes): RequestHandler {
  const { resource, source } = routes;
  const { database } = source;
  const steps = operationSteps("createMany", routes, { search: "" });
  return async (request, response, next) => {
    const own = callersResource(request, resource);
    const body = request.body as readonly Row[];
    const indexes = body.map((_row, index) => index);
    const known = () => source.newValues?.of(request, resource.model) ?? {};
    const part = makePart({ at: placeOfList(body), steps, status: 201, indexes, body, known });
    try {
      await part.prepare(request, response);
      await rollBack(database, (transaction) => part.run(transaction, request, response));
    } catch (error) {
      throw await part.locate(error, source, own);
    }
    modelLocals(response).meta = { count: part.written.rows.length };
    sendDryRun(steps.send, request, response, next);
  };
}
