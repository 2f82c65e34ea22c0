import { type FieldFault, HttpError, isHttpError } from "@servicekit/core";
import type { Request } from "express";
import type { Operation } from "../resource/operation.js";

type Place = Pick<FieldFault, "in" | "path">;

/**
 * The same error at the place of the request that the operation has for it (contract C62): below, nobody knows whether a
 * row was named by the path, by the body or by a filter.
 */
export function atOperation(error: unknown, operation: Operation, request: Request): unknown {
  if (!isHttpError(error) || error.errors === undefined || error.status >= 500) return error;
  const { status, code, message, cause, headers, errors } = error;
  if (errors.every(({ path }) => path !== "")) return error;
  const placed = errors.map(
    (fault): FieldFault => (fault.path === "" ? { ...fault, ...placeOf(fault, operation, request) } : fault),
  );
  return new HttpError(status, code, message, { errors: placed, cause, ...(headers === undefined ? {} : { headers }) });
}

const id: Place = { in: "params", path: "/id" };
const query: Place = { in: "query", path: "" };

function placeOf(fault: FieldFault, operation: Operation, { body }: Request): Place {
  if (fault.in !== "params" && fault.in !== "body") return { in: fault.in, path: fault.path };
  switch (operation) {
    case "findMany":
      return query;
    case "findOne":
      return fault.in === "params" ? id : query;
    case "deleteOne":
      return id;
    case "deleteMany":
      return body?.ids === undefined ? query : { in: "body", path: "/ids" };
    case "updateOne":
      return fault.in === "params" ? id : { in: "body", path: "" };
    default:
      return { in: "body", path: "" };
  }
}
