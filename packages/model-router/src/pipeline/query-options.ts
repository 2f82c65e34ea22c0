import { httpErrors } from "@servicekit/core";
import type { Database, Model, Models } from "@servicekit/prisma";
import { everyRow, type Filter, toWhere } from "@servicekit/prisma/internal";
import type { Request, RequestHandler } from "express";
import { checkReferences } from "../access/check-references.js";
import { guardRead, type ReadGuard } from "../access/guard-read.js";
import {
  accessOf,
  callersResource,
  guardOf,
  leftWhere,
  reachableWhere,
  readableWhere,
  views,
} from "../access/request-access.js";
import { notFound } from "../errors.js";
import { rawLastSegment, rawSearch } from "../request-path.js";
import { type ModelState, type OrmQuery, setModelQuery } from "../request-state.js";
import type { UserFacts } from "../resource/body/writable-model.js";
import { filterCost } from "../resource/filter/cost.js";
import { guard as guardFilter } from "../resource/filter/guard.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type KeyWhere, readKey } from "../resource/key.js";
import type { Operation } from "../resource/operation.js";
import { writeSelect } from "../resource/prisma-options/write-select.js";
import { includeCost } from "../resource/query/include-cost.js";
import { readBulkFilter } from "../resource/query/read-bulk-filter.js";
import { type QueryContext, readListQuery } from "../resource/query/read-list-query.js";
import { readOneQuery } from "../resource/query/read-one-query.js";
import type { Resource } from "../resource/resource.js";

/** What step 4 works with. */
export interface QueryOptionsContext extends Omit<QueryContext, "resources" | "isGuarded"> {
  readonly database: Database;
  /** What holds for users; `undefined` where no model stands for them. */
  readonly users: UserFacts | undefined;
}

/**
 * Step 4: reads the query of the request into ORM options (`request.query`), by the operation: as the caller sees the
 * models, with the row rules and the model's default filter in them.
 */
export function queryOptions(operation: Operation, resource: Resource, context: QueryOptionsContext): RequestHandler {
  const { database } = context;
  return (request, _response, next) => {
    const own = callersResource(request, resource);
    const { view } = accessOf(request);
    // Rows without a key can only be listed.
    if (own.model.key === undefined && resource.model.key !== undefined && operation !== "findMany") {
      throw operation === "findOne" ? notFound(own) : httpErrors.Forbidden();
    }
    // Whoever may not read the rows would learn of them by which ones a filter changes.
    if (isByFilter(operation, request) && !views(request, own.model.name)) throw httpErrors.Forbidden();
    const guard = guardOf(request);
    const isGuarded = guard !== undefined;
    const read = readQuery(operation, own, { ...context, resources: view.resources, isGuarded }, request);
    const check = (): Promise<void> | undefined =>
      writesBody(operation) ? checkReferences(request, own.model, database, context.users?.model) : undefined;
    const goOn = ({ query, kept }: WrittenQuery): void => {
      setModelQuery(request, query, kept);
      next();
    };
    if (guard !== undefined) {
      return guardQuery(read, operation, own, request, guard).then(async (written) => {
        await check();
        goOn(written);
      });
    }
    const written = writeQuery(read, own.model, view.models, context);
    const checked = check();
    if (checked !== undefined) return checked.then(() => goOn(written));
    goOn(written);
    return undefined;
  };
}

/** Whether a bulk change names its rows by a filter. */
function isByFilter(operation: Operation, { body }: Request): boolean {
  if (operation === "updateMany") return !Array.isArray(body);
  return operation === "deleteMany" && body?.ids === undefined;
}

const writesBody = (operation: Operation): boolean => operation.startsWith("create") || operation.startsWith("update");

/** A query as a client asks it: its filters are not in the ORM's form yet. */
interface ReadQuery {
  readonly query: Omit<OrmQuery, "where">;
  readonly where: Filter;
  readonly kept: ModelState;
}

/** A query in the ORM's form. */
interface WrittenQuery {
  readonly query: OrmQuery;
  readonly kept: ModelState;
}

function readQuery(operation: Operation, own: Resource, context: QueryContext, request: Request): ReadQuery {
  const search = rawSearch(request);
  const { models } = accessOf(request).view;
  switch (operation) {
    case "findMany": {
      const list = readListQuery(search, own, context);
      const { where, ...query } = list.options;
      return { query, where, kept: { list, cost: list.cost + includeCost(query.select, own.model, models) } };
    }
    case "updateMany":
    case "deleteMany": {
      const isByList = !isByFilter(operation, request);
      const where = isByList ? everyRow : readBulkFilter(search, own, context);
      if (isByList) readOneQuery(search, own, context, false);
      return { query: { select: own.rowSelect }, where, kept: { cost: filterCost(where) } };
    }
    case "createOne":
    case "createMany":
      readOneQuery(search, own, context, false);
      return { query: { select: own.rowSelect }, where: everyRow, kept: {} };
    default: {
      const key = keyOf(request, own);
      const select = readOneQuery(search, own, context, operation === "findOne");
      if (operation !== "findOne") return { query: { select: own.rowSelect }, where: everyRow, kept: { key } };
      return { query: { select }, where: everyRow, kept: { key, cost: includeCost(select, own.model, models) } };
    }
  }
}

/** Puts a query into the ORM's form, for callers without row rules. */
function writeQuery(
  { query, where, kept }: ReadQuery,
  model: Model,
  models: Models,
  { allowDangerousOrmQueryOptions }: QueryOptionsContext,
): WrittenQuery {
  // Only the ORM's own options hold filters below the first one.
  const select = allowDangerousOrmQueryOptions ? writeSelect(query.select, model, models) : query.select;
  return { query: { ...query, where: kept.key ?? toWhere(where, model), select }, kept };
}

/** Puts the row rules of the request into a query. */
async function guardQuery(
  { query, where, kept }: ReadQuery,
  operation: Operation,
  own: Resource,
  request: Request,
  guard: ReadGuard,
): Promise<WrittenQuery> {
  const reached = await reachableWhere(request, own, operation);
  if (operation !== "findMany" && operation !== "findOne") {
    const asked = kept.key ?? toWhere(await guardFilter(where, guard.readable), own.model);
    const read = isByFilter(operation, request) ? await readableWhere(request, own.model.name) : true;
    const rows = allWhere([reached, typeof read === "boolean" ? undefined : read]);
    const left = await leftWhere(request, own, operation);
    return withRows({ query: { ...query, where: asked }, kept: { ...kept, rows, left } }, rows);
  }
  const { args, fill } = await guardRead({ ...query, where }, own.model, guard);
  const guarded = { ...query, ...args } as OrmQuery;
  const found = kept.key === undefined ? guarded : { ...guarded, where: kept.key };
  return withRows({ query: found, kept: { ...kept, rows: reached, fill } }, reached);
}

/** Puts the filter of the rows that there are for this caller into a query. */
function withRows({ query, kept }: WrittenQuery, rows: Where | undefined): WrittenQuery {
  if (rows === undefined) return { query, kept };
  const { key } = kept;
  if (key !== undefined) return { query: { ...query, where: { ...key, AND: [rows] } }, kept };
  const both = (where: Where): Where => (Object.keys(where).length === 0 ? rows : { AND: [rows, where] });
  return { query: { ...query, where: both(query.where) }, kept };
}

/** An id that no row can have is as absent as one that no row has (contract C7). */
function keyOf(request: Request, resource: Resource): KeyWhere {
  const key = readKey(resource.model, rawLastSegment(request));
  if (key === undefined) throw notFound(resource);
  return key;
}
