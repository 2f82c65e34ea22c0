import { ifUnchanged } from "../conditional/write.js";
import { modelQuery } from "../request-state.js";
import type { RunOperation } from "./operation-context.js";

/** Deletes one row; the response has no body (contract C2). */
export const deleteOne: RunOperation = async ({ database, resource }, request) => {
  const { where, select } = modelQuery(request);
  await ifUnchanged(database, resource, request, (inside) => inside.of(resource.model).delete({ where, select }));
};
