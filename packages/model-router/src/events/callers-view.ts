import { httpErrors } from "@servicekit/core";
import { allOf, type Filter, toWhere } from "@servicekit/prisma/internal";
import { callerOf, identityOf } from "@servicekit/router";
import { clientAddress } from "@servicekit/router/internal";
import type { Request } from "express";
import { accessOf, callersResource, guardOf, reachableRows } from "../access/request-access.js";
import { rawSearch } from "../request/raw-path.js";
import { guard as guardFilter } from "../resource/filter/guard.js";
import { type EventsQuery, readEventsQuery } from "../resource/query/read-events-query.js";
import type { Resource } from "../resource/resource.js";
import type { ModelRoutes } from "../steps/route-source.js";
import { type CallersView, filterKey } from "./callers-events.js";
import type { ChangeFeed } from "./change-feed.js";

/** The view of the caller of a request, with the query of the request. */
export interface RequestedView extends CallersView {
  readonly query: EventsQuery;
}

/**
 * Creates the view of the caller of one request, as often as it is called; its query is read again only in another view of the
 * models.
 */
export function makeCallersView(
  { resource, source }: ModelRoutes,
  { matchStates }: ChangeFeed,
): (request: Request) => Promise<RequestedView> {
  const { settings } = source;
  let read: { readonly own: Resource; readonly query: EventsQuery; readonly key: string } | undefined;
  let keyed: { readonly own: Resource; readonly filter: Filter | undefined; readonly key: string } | undefined;
  const readQuery = (request: Request, own: Resource): EventsQuery => {
    const isExpressible = (filter: Filter): boolean => matchStates.supports(own.model, toWhere(filter, own.model));
    const context = { ...settings, resources: accessOf(request).view.resources, limits: settings.query };
    return readEventsQuery(rawSearch(request), own, context, isExpressible);
  };
  return async (request) => {
    const own = callersResource(request, resource);
    // Rows without a key can only be listed.
    if (own.model.key === undefined) throw httpErrors.Forbidden();
    if (read?.own !== own) {
      const query = readQuery(request, own);
      read = { own, query, key: filterKey(query.filter, own) };
    }
    const { query, key: requestKey } = read;
    const guard = guardOf(request);
    const requested =
      query.filter === undefined || guard === undefined
        ? query.filter
        : await guardFilter(query.filter, guard.readable);
    const rules = await reachableRows(request, own, "findMany");
    const filters = [rules, requested].filter((one) => one !== undefined);
    const filter = filters.length < 2 ? filters[0] : allOf(filters);
    if (keyed === undefined || keyed.own !== own || keyed.filter !== filter)
      keyed = { own, filter, key: filterKey(filter, own) };
    const caller = callerOf(request);
    return {
      ...{ own, query, filter, fields: query.fields, filterKey: keyed.key, requestKey },
      client: caller === undefined ? clientAddress(request) : identityOf(caller),
      caller: caller === undefined ? "" : `${identityOf(caller)} ${caller.keyId ?? ""}`,
    };
  };
}
