import { httpErrors } from "@servicekit/errors";
import type { Resource } from "@servicekit/resource";

/** The same 404 for every row that is not there. */
export const notFound = (resource: Resource) =>
  httpErrors.NotFound(`There is no ${resource.model.resource.replaceAll("-", " ")} with this id.`);
