import { httpErrors } from "@servicekit/errors";
import type { Request, RequestHandler } from "express";
import type { Operation } from "../operations/operation.js";
import { readBulkFilter } from "../query/read-bulk-filter.js";
import { type QueryContext, readListQuery } from "../query/read-list-query.js";
import { readOneQuery } from "../query/read-one-query.js";
import { rawLastSegment, rawSearch } from "../request-path.js";
import type { Resource } from "../resource.js";
import { type KeyWhere, readKey } from "../resource-key.js";
import { setModelQuery } from "./model-request.js";

/** Step 4: reads the query of the request into ORM options (`request.query`), by the operation. */
export function queryOptions(operation: Operation, resource: Resource, context: QueryContext): RequestHandler {
  return (request, _response, next) => {
    const search = rawSearch(request);
    switch (operation) {
      case "findMany": {
        const list = readListQuery(search, resource, context);
        setModelQuery(request, { ...list.options }, { list });
        break;
      }
      case "updateMany":
      case "deleteMany": {
        const isByList = operation === "updateMany" ? Array.isArray(request.body) : request.body?.ids !== undefined;
        if (isByList) {
          readOneQuery(search, resource, context, false);
          setModelQuery(request, { where: {}, select: resource.rowSelect }, {});
        } else {
          setModelQuery(request, { where: readBulkFilter(search, resource, context), select: resource.rowSelect }, {});
        }
        break;
      }
      case "createOne":
      case "createMany":
        readOneQuery(search, resource, context, false);
        setModelQuery(request, { where: {}, select: resource.rowSelect }, {});
        break;
      default: {
        const key = keyOf(request, resource);
        const select = readOneQuery(search, resource, context, operation === "findOne");
        setModelQuery(request, { where: key, select: operation === "findOne" ? select : resource.rowSelect }, { key });
      }
    }
    next();
  };
}

/** An id that no row can have is as absent as one that no row has (contract C7). */
function keyOf(request: Request, resource: Resource): KeyWhere {
  const key = readKey(resource.model, rawLastSegment(request));
  if (key === undefined) throw notFound(resource);
  return key;
}

/** The same 404 for every row that is not there. */
export const notFound = (resource: Resource) =>
  httpErrors.NotFound(`There is no ${resource.model.resource.replaceAll("-", " ")} with this id.`);
