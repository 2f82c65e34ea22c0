import { accessOf } from "../access/request-access.js";
import { notFound } from "../errors.js";
import { addModelState, modelLocals, modelQuery, modelState } from "../request-state.js";
import type { RunOperation } from "./run-operation.js";

/** Reads one row by its key. */
export const findOne: RunOperation = async ({ database, resource, isSentAsRead }, request, response) => {
  const { where, select } = modelQuery(request);
  const delegate = database.of(resource.model);
  if (isSentAsRead && modelState(request).fill === undefined) {
    const json = await delegate.oneJson(
      { where, select },
      { model: resource.model, models: accessOf(request).view.models },
    );
    if (json === null) throw notFound(resource);
    if (json !== undefined) return addModelState(request, { json });
  }
  const row = await delegate.findUnique({ where, select });
  if (row === null) throw notFound(resource);
  modelLocals(response).data = row;
};
