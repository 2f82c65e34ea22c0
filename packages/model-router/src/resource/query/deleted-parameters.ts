import { joinOr } from "@servicekit/core/internal";
import type { Operation } from "../config/operation.js";
import type { DeletedRows } from "../config/soft-delete.js";
import { QueryIssues } from "../filter/query-issues.js";
import type { Resource } from "../resource.js";

/** What a query means by deleted rows (contract C101). */
export interface DeletedQuery {
  readonly rows: DeletedRows;
  /** Whether rows are deleted permanently. */
  readonly isPermanent: boolean;
  /** The query without these parameters. */
  readonly rest: string;
}

const values = {
  deleted: ["only", "include", "exclude"],
  permanent: ["true", "false"],
} as const;

type Parameter = keyof typeof values;

/** The parameters about deleted rows of an operation. */
export function deletedParameters(
  operation: Operation | "aggregate",
  { deletedField }: Pick<Resource, "deletedField">,
): readonly Parameter[] {
  if (deletedField === undefined) return [];
  switch (operation) {
    case "findMany":
    case "findOne":
    case "aggregate":
      return ["deleted"];
    case "deleteOne":
      return ["permanent"];
    case "deleteMany":
      return ["permanent", "deleted"];
    default:
      return [];
  }
}

/**
 * Reads `deleted` and `permanent` of a model with soft delete. The other readers get the rest of the query.
 *
 * @throws {HttpError} 400 for another or a repeated value
 */
export function readDeletedQuery(
  search: string,
  operation: Operation | "aggregate",
  resource: Pick<Resource, "deletedField">,
): DeletedQuery {
  const parameters = deletedParameters(operation, resource);
  if (search === "" || parameters.length === 0) return { rows: "exclude", isPermanent: false, rest: search };
  const found = new Map<Parameter, string>();
  const rest: string[] = [];
  const issues = new QueryIssues();
  for (const pair of search.split("&")) {
    const [[name, value] = ["", ""]] = new URLSearchParams(pair);
    const parameter = parameters.find((one) => one === name);
    if (parameter === undefined) rest.push(pair);
    else if (found.has(parameter)) issues.add(parameter, "Repeated", `${parameter} must appear only once.`);
    else {
      found.set(parameter, value);
      const allowed: readonly string[] = values[parameter];
      if (!allowed.includes(value)) issues.add(parameter, "InvalidValue", `${parameter} must be ${joinOr(allowed)}.`);
    }
  }
  const isPermanent = found.get("permanent") === "true";
  if (operation === "deleteMany" && found.has("deleted") && !isPermanent)
    issues.add("deleted", "Conflict", "deleted requires permanent=true: deleted rows can only be deleted permanently.");
  issues.check();
  return { rows: (found.get("deleted") ?? "exclude") as DeletedRows, isPermanent, rest: rest.join("&") };
}
