import { isHttpError, type ValidationIssue } from "@servicekit/core";
import { withErrors } from "@servicekit/core/internal";
import type { Request } from "express";
import type { Operation } from "../resource/config/operation.js";

type Place = Pick<ValidationIssue, "in" | "path">;

/**
 * The same error at the place of the request that the operation has for it (contract C62), because lower layers do not
 * know whether a row was identified by the path, the body or a filter.
 */
export function atOperation(error: unknown, operation: Operation, request: Request): unknown {
  if (!isHttpError(error) || error.errors === undefined || error.status >= 500) return error;
  const { errors } = error;
  if (errors.every(({ path }) => path !== "")) return error;
  const placed = errors.map(
    (issue): ValidationIssue => (issue.path === "" ? { ...issue, ...placeOf(issue, operation, request) } : issue),
  );
  return withErrors(error, placed);
}

const id: Place = { in: "params", path: "/id" };
const query: Place = { in: "query", path: "" };

function placeOf(issue: ValidationIssue, operation: Operation, { body }: Request): Place {
  if (issue.in !== "params" && issue.in !== "body") return { in: issue.in, path: issue.path };
  switch (operation) {
    case "findMany":
      return query;
    case "findOne":
      return issue.in === "params" ? id : query;
    case "deleteOne":
      return id;
    case "restoreOne":
      return issue.in === "params" ? id : { in: "body", path: "" };
    case "deleteMany":
      return body?.ids === undefined ? query : { in: "body", path: "/ids" };
    case "updateOne":
      return issue.in === "params" ? id : { in: "body", path: "" };
    default:
      return { in: "body", path: "" };
  }
}
