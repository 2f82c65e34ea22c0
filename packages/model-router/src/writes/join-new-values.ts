import type { Request } from "express";
import type { NewValues } from "./write-scope.js";

/** Several {@link NewValues} as one; each sets other fields. */
export function joinNewValues(all: readonly NewValues<Request>[]): NewValues<Request> | undefined {
  if (all.length < 2) return all[0];
  return {
    names: (model) => new Set(all.flatMap((one) => [...one.names(model)])),
    of: (request, model) => Object.assign({}, ...all.map((one) => one.of(request, model))),
  };
}
