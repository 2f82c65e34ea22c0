import { ormErrors } from "@servicekit/prisma/internal";
import { modelLocals, modelQuery, modelState } from "../request/request-state.js";
import { allWhere, type Where } from "../resource/filter/where.js";
import type { KeyWhere } from "../resource/key.js";
import { checkKeys, idInList, keysWhere } from "./bulk-keys.js";
import { matchingRows } from "./matching-rows.js";
import type { RunOperation } from "./operation-context.js";

/** Deletes several rows, all or none: those with the given ids, or those that match a filter (contract C14). */
export const deleteMany: RunOperation = async ({ database, resource, deletions }, request, response) => {
  const { where } = modelQuery(request);
  const ids = (request.body as { ids?: readonly (KeyWhere | null)[] } | undefined)?.ids;
  const count = await database.transaction(async (inside) => {
    const delegate = inside.of(resource.model);
    const { isPermanent } = modelState(request);
    const remove = (where: Where): Promise<number> =>
      isPermanent === true ? delegate.deleteMany({ where }) : deletions.deleteMany(inside, resource.model, where);
    if (ids !== undefined) {
      const { rows: rule } = modelState(request);
      const keys = await checkKeys(ids, inside, resource, idInList, rule);
      await delegate.lockEach(keys, { forDelete: true });
      const deleted = await remove(allWhere([rule, keysWhere(resource, keys)]) ?? {});
      // A concurrent change: repeated, the check names the missing rows, and nothing is deleted.
      if (deleted < keys.length) throw ormErrors.WriteConflict();
      return deleted;
    }
    const matching = await matchingRows(where, inside, resource, { forDelete: true });
    return remove(matching.where);
  });
  modelLocals(response).meta = { count };
};
