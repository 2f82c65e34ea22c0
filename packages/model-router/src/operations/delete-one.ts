import { ifUnchanged } from "../conditional/write.js";
import { modelQuery, modelState } from "../request/request-state.js";
import type { RunOperation } from "./operation-context.js";

/** Deletes one row; the response has no body (contract C2). */
export const deleteOne: RunOperation = async ({ database, resource, deletions }, request) => {
  const { where } = modelQuery(request);
  const { isPermanent } = modelState(request);
  await ifUnchanged(database, resource, request, async (inside) => {
    if (isPermanent === true) await inside.of(resource.model).delete({ where, select: resource.keySelect });
    else await deletions.deleteOne(inside, resource.model, where);
  });
};
