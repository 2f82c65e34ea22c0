import { modelLocals, modelQuery } from "../pipeline/model-request.js";
import { notFound } from "../pipeline/query-options.js";
import type { RunOperation } from "./run-operation.js";

/** Reads one row by its key. */
export const findOne: RunOperation = async ({ database, resource }, request, response) => {
  const { where, select } = modelQuery(request);
  const row = await database.of(resource.model).findUnique({ where, select });
  if (row === null) throw notFound(resource);
  modelLocals(response).data = row;
};
