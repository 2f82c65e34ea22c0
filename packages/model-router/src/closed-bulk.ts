import { type ServiceRouter } from "@servicekit/router";
import { closeMethods } from "@servicekit/router/internal";
import { type Operation, operationNames, operations } from "./resource/operation.js";
import { type Resource } from "./resource/resource.js";

/**
 * Disables `/many` for the missing bulk operations of a model: otherwise the routes of single rows would look for a row
 * with the id `many` (contract C7, C15).
 *
 * @param open the operations with routes
 * @param isReplaced whether single rows have `PUT`
 */
export function closeBulk(
  router: ServiceRouter,
  { path }: Resource,
  open: ReadonlySet<Operation>,
  isReplaced: boolean,
): void {
  const methodsAt = (suffix: string): readonly string[] =>
    operationNames
      .filter((operation) => open.has(operation) && operations[operation].suffix === suffix)
      .map((operation) => operations[operation].method.toUpperCase());
  const bulk = methodsAt("/many");
  const single = [...methodsAt("/:id"), ...(isReplaced ? ["PUT"] : [])];
  const closed = single.filter((method) => method !== "GET" && !bulk.includes(method));
  if (closed.length > 0) router.use(`/${path}/many`, closeMethods(closed));
}
