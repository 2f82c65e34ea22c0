import type { DocumentedError } from "@servicekit/router";
import { type Operation, operations } from "../resource/operation.js";

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
const referred = error(409, "ForeignKeyConstraint", "Other rows reference this row.");
const absent = error(404, "NotFound", "The row does not exist.");
const changed = error(412, "PreconditionFailed", "The row has changed since it was read.");
const busy = error(
  503,
  "DatabaseBusy",
  "Too many expensive queries are queued. Retry after the time in `Retry-After`.",
);
const tooMany = error(413, "BulkTooLarge", "The request has too many items.");
const missing = error(400, "MissingFilter", "Neither the body nor the query selects rows.");
const forbidden = error(403, "Forbidden", "The caller may not write the resulting row.");

/** The errors of one generated route itself (contract C17). */
export function operationErrors(
  operation: Operation,
  { hasRowRule }: { readonly hasRowRule: boolean },
): readonly DocumentedError[] {
  const { method, bulk } = operations[operation];
  const writes = method === "post" || method === "patch";
  return [
    ...ofQuery,
    ...(writes ? [...ofWrite, conflict, ...(hasRowRule ? [forbidden] : [])] : []),
    ...(method === "delete" ? [conflict, referred] : []),
    ...(operation === "findMany" || method === "post" ? [] : [absent]),
    ...(method === "get" || operation === "updateOne" || operation === "deleteOne" ? [changed] : []),
    ...(bulk ? [tooMany] : []),
    ...(operation === "updateMany" || operation === "deleteMany" ? [missing] : []),
    ...(method === "get" || operation === "updateMany" || operation === "deleteMany" ? [busy] : []),
    ...ofDatabase,
  ];
}
