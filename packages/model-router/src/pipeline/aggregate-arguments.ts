import type { Model } from "@servicekit/prisma";
import { type AggregateArgs, type GroupStep, toWhere } from "@servicekit/prisma/internal";
import type { Request } from "express";
import type { ReadGuard } from "../access/guard-read.js";
import { accessOf, guardOf, reachableWhere } from "../access/request-access.js";
import type { AggregateQuery } from "../resource/aggregate/read-aggregate-query.js";
import type { RequestedGroup } from "../resource/aggregate/read-groups.js";
import type { DeletedRows } from "../resource/config/soft-delete.js";
import { guard as guardFilter } from "../resource/filter/guard.js";
import { allWhere } from "../resource/filter/where.js";
import type { Resource } from "../resource/resource.js";

/**
 * The arguments of an aggregate with the row rules of the request: the rows are those of its list, and a related row
 * that the caller may not read is like a missing one.
 *
 * @param deleted which rows, by their deletion
 */
export async function aggregateArguments(
  query: AggregateQuery,
  resource: Resource,
  request: Request,
  deleted: DeletedRows,
): Promise<AggregateArgs> {
  const { where: requested, groups, page, limit, cost: _cost, ...rest } = query;
  const guard = guardOf(request);
  const filter = guard === undefined ? requested : await guardFilter(requested, guard.readable);
  const rows = guard === undefined ? undefined : await reachableWhere(request, resource, "findMany", deleted);
  const ofDeleted = deleted === "exclude" ? undefined : await reachableWhere(request, resource, "findDeleted", deleted);
  const where = allWhere([rows, ofDeleted, toWhere(filter, resource.model)]);
  return {
    ...rest,
    ...(where === undefined ? {} : { where }),
    groups: await Promise.all(groups.map((group) => guardGroup(group, accessOf(request).view.models, guard))),
    // One additional group shows whether there is a next page.
    take: limit + 1,
    skip: (page - 1) * limit,
  };
}

async function guardGroup(
  { relations, ...group }: RequestedGroup,
  models: ReadonlyMap<string, Model>,
  guard: ReadGuard | undefined,
): Promise<AggregateArgs["groups"][number]> {
  const path = relations.map(async ({ name, type }): Promise<GroupStep> => {
    const rule = await guard?.readable(type);
    return { relation: name, where: rule && toWhere(rule, models.get(type) as Model) };
  });
  return { ...group, path: await Promise.all(path) };
}
