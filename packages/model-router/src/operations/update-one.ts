import { permittedWrite } from "../access/permitted-write.js";
import { ifUnchanged } from "../conditional/write.js";
import { modelLocals, modelQuery } from "../request-state.js";
import type { RunOperation } from "./run-operation.js";

/** Changes the given fields of one row. */
export const updateOne: RunOperation = async ({ database, resource, writer }, request, response) => {
  const { where, select } = modelQuery(request);
  modelLocals(response).data = await ifUnchanged(database, resource, request, (whole) =>
    permittedWrite(whole, resource, request, (inside) =>
      writer.update(request, inside, resource, where, request.body, select),
    ),
  );
};
