import type { DocumentedError } from "@servicekit/router";
import { type Operation, operations } from "../resource/config/operation.js";

const error = (status: number, code: string, description: string): DocumentedError => ({ status, code, description });

const ofDatabase = [
  error(503, "DatabaseUnavailable", "The database is unavailable. Retry after the time in `Retry-After`."),
  error(504, "DatabaseTimeout", "The database took too long."),
];

const ofQuery = [
  error(400, "ValidationError", "A parameter or a value is invalid; `errors` names each place."),
  ...["MalformedQuery", "ForbiddenKey", "QueryLimitExceeded", "EmptyGroup", "ConflictingFilters", "InvalidOperand"].map(
    (code) => error(400, code, "The query is invalid; `errors` names the parameter."),
  ),
];

const ofWrite = [
  error(400, "ValidationError", "A value is invalid; `errors` names each place."),
  error(400, "RelatedRecordNotFound", "A related row does not exist."),
  ...["InvalidValue", "RequiredValue", "ValueTooLong", "ValueOutOfRange", "RejectedByDatabase"].map((code) =>
    error(400, code, "The database rejects a value."),
  ),
  error(409, "UniqueConstraint", "Another row has the same values; `errors` names the fields."),
  ...["CheckConstraint", "ExclusionConstraint", "RelationConstraint", "RecordsNotConnected"].map((code) =>
    error(409, code, "The values violate a rule of the database."),
  ),
];

const conflict = error(409, "WriteConflict", "Another request changed the same rows. Retry.");
const limited = error(409, "Conflict", "The maximum number of rows is reached; `detail` names the limit.");
const referred = error(409, "ForeignKeyConstraint", "Other rows reference this row.");
const absent = error(404, "NotFound", "The row does not exist.");
const changed = error(412, "PreconditionFailed", "The row has changed since it was read.");
const busy = error(
  503,
  "DatabaseBusy",
  "Too many expensive queries are queued. Retry after the time in `Retry-After`.",
);
const tooMany = error(413, "BulkTooLarge", "The request has too many items.");
const tooManyRows = error(
  400,
  "ExportTooLarge",
  "The export has too many rows. Narrow it with filters, or set `limit`.",
);
const missing = error(400, "MissingFilter", "Neither the body nor the query selects rows.");
const forbidden = error(403, "Forbidden", "The caller may not write the resulting row.");

const ofDeleted = [
  error(401, "Unauthorized", "A parameter requires a right to deleted rows, and the request is anonymous."),
  error(403, "Forbidden", "The caller lacks the right to deleted rows that a parameter requires."),
];
const ofRestore = [
  error(409, "NotDeleted", "The row is not deleted."),
  error(409, "UniqueConstraint", "Another row has the same values; `errors` names the fields."),
  error(409, "ForeignKeyConstraint", "The row belongs to a deleted one."),
];

/** The errors of one generated route itself (contract C17). */
export function operationErrors(
  operation: Operation,
  {
    hasRowRule,
    takesDeleted,
    exports = false,
    isLimited = false,
  }: {
    readonly hasRowRule: boolean;
    readonly takesDeleted: boolean;
    readonly exports?: boolean;
    readonly isLimited?: boolean;
  },
): readonly DocumentedError[] {
  const { method, bulk } = operations[operation];
  const ofLimit = isLimited && method !== "get" && method !== "delete" ? [limited] : [];
  if (operation === "restoreOne")
    return [...ofQuery, ...ofRestore, conflict, ...ofLimit, absent, changed, ...ofDatabase];
  const writes = method === "post" || method === "patch";
  return [
    ...ofQuery,
    ...(writes ? [...ofWrite, conflict, ...(hasRowRule ? [forbidden] : [])] : []),
    ...ofLimit,
    ...(method === "delete" ? [conflict, referred] : []),
    ...(takesDeleted ? ofDeleted : []),
    ...(operation === "findMany" || method === "post" ? [] : [absent]),
    ...(method === "get" || operation === "updateOne" || operation === "deleteOne" ? [changed] : []),
    ...(bulk ? [tooMany] : []),
    ...(exports && operation === "findMany" ? [tooManyRows] : []),
    ...(operation === "updateMany" || operation === "deleteMany" ? [missing] : []),
    ...(method === "get" || operation === "updateMany" || operation === "deleteMany" ? [busy] : []),
    ...ofDatabase,
  ];
}
