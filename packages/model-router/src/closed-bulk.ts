import { type ServiceRouter } from "@servicekit/router";
import { closeMethods } from "@servicekit/router/internal";
import { type Operation, operationNames, operations } from "./resource/operation.js";
import { type Resource } from "./resource/resource.js";

/**
 * Closes `/many` for the bulk operations that a model has not: without it the routes of single rows would look for a row
 * whose id is `many` (contract C7, C15).
 *
 * @param open the operations of the model whose routes are there
 */
export function closeBulk(router: ServiceRouter, { path }: Resource, open: ReadonlySet<Operation>): void {
  const methodsAt = (suffix: string): readonly string[] =>
    operationNames
      .filter((operation) => open.has(operation) && operations[operation].suffix === suffix)
      .map((operation) => operations[operation].method.toUpperCase());
  const bulk = methodsAt("/many");
  const closed = methodsAt("/:id").filter((method) => method !== "GET" && !bulk.includes(method));
  if (closed.length > 0) router.use(`/${path}/many`, closeMethods(closed));
}
