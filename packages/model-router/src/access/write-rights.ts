import type { Request } from "express";
import type { WriteRights } from "../writes/write-scope.js";
import { accessOf, leftWhere, reachableWhere, readableWhere, sees } from "./request-access.js";

/** What the caller of a request may do to rows, on every path that writes them (contract C57). */
export const writeRights = (request: Request): WriteRights => ({
  may: (model, operation) => accessOf(request).may(model, operation),
  sees: (model, field) => sees(request, model, field),
  readable: (modelName) => readableWhere(request, modelName),
  reachable: (resource, operation) => reachableWhere(request, resource, operation),
  left: (resource, operation) => leftWhere(request, resource, operation),
});
