import { notFound } from "../errors.js";
import { modelLocals, modelQuery } from "../request-state.js";
import type { RunOperation } from "./run-operation.js";

/** Reads one row by its key. */
export const findOne: RunOperation = async ({ database, resource }, request, response) => {
  const { where, select } = modelQuery(request);
  const row = await database.of(resource.model).findUnique({ where, select });
  if (row === null) throw notFound(resource);
  modelLocals(response).data = row;
};
