import { permittedWrite } from "../access/permitted-write.js";
import { sees } from "../access/request-access.js";
import { ifUnchanged } from "../conditional/write.js";
import { keyOf } from "../deletions/delete-rows.js";
import { notFound } from "../errors.js";
import { modelQuery } from "../request/request-state.js";
import type { RunOperation } from "./operation-context.js";
import { setRow } from "./set-result.js";

/** Restores one deleted row, with the rows that were deleted with it (contract C101). */
export const restoreOne: RunOperation = async ({ database, resource, deletions }, request, response) => {
  const { where, select } = modelQuery(request);
  const { model } = resource;
  const restored = await ifUnchanged(database, resource, request, (transaction) =>
    transaction.transaction((inside) =>
      permittedWrite(inside, resource, request, async (within) => {
        await deletions.restoreOne(within, model, where, { sees: (of, field) => sees(request, of, field) });
        const row = await within.of(model).findUnique({ where: keyOf(where), select });
        if (row === null) throw notFound(resource);
        return { rows: [row] };
      }),
    ),
  );
  setRow(restored, request, response);
};
