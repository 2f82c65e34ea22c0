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
import { requireRight } from "../access/require-right.js";
import { notFound } from "../errors.js";
import { rawKey, rawSearch } from "../request/raw-path.js";
import { type ModelState, type OrmQuery, setModelQuery } from "../request/request-state.js";
import type { UserInfo } from "../resource/body/writable-model.js";
import { type Operation, operations } from "../resource/config/operation.js";
import type { DeletedRows } from "../resource/config/soft-delete.js";
import { filterCost } from "../resource/filter/cost.js";
import { guard as guardFilter } from "../resource/filter/guard.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import { type KeyWhere, readKey } from "../resource/key.js";
import { writeSelect } from "../resource/prisma-options/write-select.js";
import { type DeletedQuery, readDeletedQuery } from "../resource/query/deleted-parameters.js";
import { includeCost } from "../resource/query/include-cost.js";
import { readBulkFilter } from "../resource/query/read-bulk-filter.js";
import { type QueryContext, readListQuery } from "../resource/query/read-list-query.js";
import { readOneQuery } from "../resource/query/read-one-query.js";
import type { Resource } from "../resource/resource.js";
import type { NewValues } from "../writes/write-scope.js";

/** The dependencies of {@link queryOptions}. */
export interface QueryOptionsContext extends Omit<QueryContext, "resources" | "isGuarded"> {
  readonly database: Database;
  /** The rules for users; `undefined` if no model represents them. */
  readonly users: UserInfo | undefined;
  /** The values of new rows that no body sets. */
  readonly newValues?: NewValues<Request> | undefined;
  /** The query, if another step has read that of the request. */
  readonly search?: string | undefined;
  /** What the error of an unknown parameter expects, if another step reads parameters of the create. */
  readonly noParameters?: string | undefined;
  /** The path of the route after that of the model, if it is not that of the operation. */
  readonly suffix?: string | undefined;
}

/**
 * Reads the query of the request into ORM options (`request.query`), by the operation: with the caller's view
 * of the models, the row rules and the model's default filter.
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
    // A caller without read access would learn values from which rows a filter changes.
    if (isByFilter(operation, request) && !views(request, own.model.name)) throw httpErrors.Forbidden();
    const guard = guardOf(request);
    const isGuarded = guard !== undefined;
    const deleted = readDeletedQuery(context.search ?? rawSearch(request), operation, own);
    const inView = { ...context, resources: view.resources, isGuarded, search: deleted.rest, rows: deleted.rows };
    const read = readQuery(operation, own, inView, request);
    const check = (): Promise<void> | undefined =>
      writesBody(operation)
        ? checkReferences(request, own.model, database, {
            userModel: context.users?.model,
            newValues: context.newValues,
          })
        : undefined;
    const proceed = ({ query, stored }: WrittenQuery): void => {
      setModelQuery(request, query, stored);
      next();
    };
    if (guard !== undefined) {
      return guardQuery(read, operation, own, request, guard, deleted).then(async (written) => {
        await check();
        proceed(written);
      });
    }
    const written = writeQuery(read, own.model, view.models, context);
    const checked = check();
    if (checked !== undefined) return checked.then(() => proceed(written));
    proceed(written);
    return undefined;
  };
}

/** Whether a bulk change selects its rows by a filter. */
function isByFilter(operation: Operation, { body }: Request): boolean {
  if (operation === "updateMany") return !Array.isArray(body);
  return operation === "deleteMany" && body?.ids === undefined;
}

const writesBody = (operation: Operation): boolean => operation.startsWith("create") || operation.startsWith("update");

/** A client's query, whose filters are not in the ORM's form yet. */
interface ReadQuery {
  readonly query: Omit<OrmQuery, "where">;
  readonly where: Filter;
  readonly stored: ModelState;
}

/** A query in the ORM's form. */
interface WrittenQuery {
  readonly query: OrmQuery;
  readonly stored: ModelState;
}

function readQuery(
  operation: Operation,
  own: Resource,
  context: QueryContext &
    Pick<QueryOptionsContext, "suffix" | "noParameters"> &
    Pick<DeletedQuery, "rows"> & { readonly search: string },
  request: Request,
): ReadQuery {
  const { search } = context;
  const { models } = accessOf(request).view;
  switch (operation) {
    case "findMany": {
      const list = readListQuery(search, own, context);
      const { where, ...query } = list.options;
      return { query, where, stored: { list, cost: list.cost + includeCost(query.select, own.model, models) } };
    }
    case "updateMany":
    case "deleteMany": {
      const isByList = !isByFilter(operation, request);
      const known = context.rows === "include" ? undefined : own.deletedField;
      const where = isByList ? everyRow : readBulkFilter(search, own, context, known);
      if (isByList) readOneQuery(search, own, context, false);
      return { query: { select: own.rowSelect }, where, stored: { cost: filterCost(where) } };
    }
    case "createOne":
    case "createMany":
      readOneQuery(search, own, context, false, context.noParameters);
      return { query: { select: own.rowSelect }, where: everyRow, stored: {} };
    default: {
      const key = keyOf(request, own, context.suffix ?? operations[operation].suffix);
      const select = readOneQuery(search, own, context, operation === "findOne");
      if (operation !== "findOne") return { query: { select: own.rowSelect }, where: everyRow, stored: { key } };
      return { query: { select }, where: everyRow, stored: { key, cost: includeCost(select, own.model, models) } };
    }
  }
}

/** Converts a query into the ORM's form, for callers without row rules. */
function writeQuery(
  { query, where, stored }: ReadQuery,
  model: Model,
  models: Models,
  { allowDangerousOrmQueryOptions }: QueryOptionsContext,
): WrittenQuery {
  // Only the ORM's own options contain filters below the first one.
  const select = allowDangerousOrmQueryOptions ? writeSelect(query.select, model, models) : query.select;
  return { query: { ...query, where: stored.key ?? toWhere(where, model), select }, stored };
}

/** Adds the row rules of the request to a query. */
async function guardQuery(
  { query, where, stored }: ReadQuery,
  operation: Operation,
  own: Resource,
  request: Request,
  guard: ReadGuard,
  deletedQuery: DeletedQuery,
): Promise<WrittenQuery> {
  const { rows: requested, isPermanent } = deletedQuery;
  // The filter of a permanent deletion would reveal deleted rows as that of a list does.
  if (requested !== "exclude") await requireRight(request, own.model, "findDeleted");
  if (isPermanent) await requireRight(request, own.model, "deletePermanently");
  const isNamed = operation === "restoreOne" || (isPermanent && !isByFilter(operation, request));
  const deleted: DeletedRows = isNamed ? "include" : requested;
  const reached = await permittedRows(operation, own, request, { ...deletedQuery, deleted });
  if (operation !== "findMany" && operation !== "findOne") {
    const restricted = stored.key ?? toWhere(await guardFilter(where, guard.readable), own.model);
    const read = isByFilter(operation, request) ? await readableWhere(request, own.model.name, deleted) : true;
    const rows = allWhere([reached, typeof read === "boolean" ? undefined : read]);
    const left = await leftWhere(request, own, operation);
    return withRows(
      { query: { ...query, where: restricted }, stored: { ...stored, rows, left, deleted, isPermanent } },
      rows,
    );
  }
  const { args, fill } = await guardRead({ ...query, where }, own.model, guard);
  const guarded = { ...query, ...args } as OrmQuery;
  const found = stored.key === undefined ? guarded : { ...guarded, where: stored.key };
  const filled = fill === undefined ? stored : { ...stored, fill };
  return withRows({ query: found, stored: { ...filled, rows: reached, deleted } }, reached);
}

/** The rows of an operation: those of each right that the request requires. */
async function permittedRows(
  operation: Operation,
  own: Resource,
  request: Request,
  { rows, isPermanent, deleted }: DeletedQuery & { readonly deleted: DeletedRows },
): Promise<Where | undefined> {
  return allWhere([
    await reachableWhere(request, own, operation, deleted),
    rows === "exclude" ? undefined : await reachableWhere(request, own, "findDeleted", deleted),
    isPermanent ? await reachableWhere(request, own, "deletePermanently", deleted) : undefined,
  ]);
}

/** Adds the filter of the accessible rows to a query. */
function withRows({ query, stored }: WrittenQuery, rows: Where | undefined): WrittenQuery {
  if (rows === undefined) return { query, stored };
  const { key } = stored;
  if (key !== undefined) return { query: { ...query, where: { ...key, AND: [rows] } }, stored };
  const both = (where: Where): Where => (Object.keys(where).length === 0 ? rows : { AND: [rows, where] });
  return { query: { ...query, where: both(query.where) }, stored };
}

/** An id that no row can have is treated like a missing row (contract C7). */
function keyOf(request: Request, resource: Resource, suffix: string): KeyWhere {
  const key = readKey(resource.model, rawKey(request, suffix));
  if (key === undefined) throw notFound(resource);
  return key;
}
