import { foundRows } from "@servicekit/prisma/internal";
import { accessOf } from "../access/request-access.js";
import { notFound } from "../errors.js";
import { modelQuery, modelState } from "../request/request-state.js";
import type { RunOperation } from "./operation-context.js";
import { setRow } from "./set-result.js";

/** Reads one row by its key. */
export const findOne: RunOperation = async ({ database, resource, isSentAsRead }, request, response) => {
  const { where, select } = modelQuery(request);
  const { model } = resource;
  const isJson = isSentAsRead && modelState(request).fill === undefined;
  const seen = isJson ? { model, models: accessOf(request).view.models } : undefined;
  const result = await database.of(model).execute({ operation: "findUnique", args: { where, select } }, seen);
  if (foundRows(result) === 0) throw notFound(resource);
  setRow(result, request, response);
};
