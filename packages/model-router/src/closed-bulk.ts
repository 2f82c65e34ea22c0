import { httpErrors } from "@servicekit/errors";
import { type Operation, operationNames, operations, type Resource } from "@servicekit/resource";
import type { ServiceRouter } from "@servicekit/router";

/**
 * Answers 405 at `/many` for the bulk operations that a model has not: without it the routes of single rows would look
 * for a row whose id is `many` (contract C7, C15).
 *
 * @param open the operations of the model whose routes are there
 */
export function closeBulk(router: ServiceRouter, { path }: Resource, open: ReadonlySet<Operation>): void {
  const isAt = (operation: Operation, suffix: string): boolean =>
    open.has(operation) && operations[operation].suffix === suffix;
  const methodsAt = (suffix: string): readonly string[] =>
    operationNames.filter((operation) => isAt(operation, suffix)).map((operation) => operations[operation].method);
  const bulk = new Set(methodsAt("/many"));
  const single = methodsAt("/:id");
  if (!single.some((method) => method !== "get" && !bulk.has(method as "patch"))) return;
  const taken = [...bulk, ...(single.includes("get") ? ["get", "head"] : [])];
  const Allow = taken
    .map((method) => method.toUpperCase())
    .sort()
    .join(", ");
  router.use(`/${path}/many`, (request, _response, next) => {
    const isElsewhere = request.path !== "/" || ["GET", "HEAD", "OPTIONS"].includes(request.method);
    next(isElsewhere ? undefined : httpErrors.MethodNotAllowed(undefined, { headers: { Allow } }));
  });
}
