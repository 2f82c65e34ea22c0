import { type ServiceRouter } from "@servicekit/router";
import { closeMethods } from "@servicekit/router/internal";
import { type Operation, operationNames, operations } from "../resource/config/operation.js";
import { type Resource } from "../resource/resource.js";

/**
 * Disables the methods of single rows at `/many`, `/aggregate` and `/events`, except those of their own routes: otherwise they would
 * look for a row with that id (contract C7, C15).
 *
 * @param open the operations with routes
 * @param isReplaced whether single rows have `PUT`
 */
export function closePaths(
  router: ServiceRouter,
  { path, reservedIds }: Resource,
  open: ReadonlySet<Operation>,
  isReplaced: boolean,
): void {
  const methodsAt = (suffix: string): readonly string[] =>
    operationNames
      .filter((operation) => open.has(operation) && operations[operation].suffix === suffix)
      .map((operation) => operations[operation].method.toUpperCase());
  const single = [...methodsAt("/:id").filter((method) => method !== "GET"), ...(isReplaced ? ["PUT"] : [])];
  const bulk = methodsAt("/many");
  const closed = single.filter((method) => !bulk.includes(method));
  if (closed.length > 0) router.use(`/${path}/many`, closeMethods(closed));
  if (single.length > 0) for (const id of reservedIds) router.use(`/${path}/${id}`, closeMethods(single));
}
