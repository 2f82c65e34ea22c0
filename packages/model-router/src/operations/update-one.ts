import { modelLocals, modelQuery } from "../pipeline/model-request.js";
import type { RunOperation } from "./run-operation.js";

/** Changes the given fields of one row. */
export const updateOne: RunOperation = async ({ database, resource }, request, response) => {
  const { where, select } = modelQuery(request);
  modelLocals(response).data = await database.of(resource.model).update({ where, data: request.body, select });
};
