import type { DocumentedError } from "@servicekit/router";
import { type Operation, operations } from "../resource/operation.js";

const error = (status: number, code: string, description: string): DocumentedError => ({ status, code, description });

const ofDatabase = [
  error(503, "DatabaseUnavailable", "The database is away; `Retry-After` says when to try again."),
  error(504, "DatabaseTimeout", "The database took too long."),
];

const ofQuery = [
  error(400, "ValidationError", "A parameter or a value is not valid; `errors` names each place."),
  ...["MalformedQuery", "ForbiddenKey", "QueryLimitExceeded", "EmptyGroup", "ConflictingFilters", "InvalidOperand"].map(
    (code) => error(400, code, "The query is not valid; `errors` names the parameter."),
  ),
];

const ofWrite = [
  error(400, "ValidationError", "A value is not valid; `errors` names each place."),
  error(400, "RelatedRecordNotFound", "A related row does not exist."),
  ...["InvalidValue", "RequiredValue", "ValueTooLong", "ValueOutOfRange", "RejectedByDatabase"].map((code) =>
    error(400, code, "The database refuses a value."),
  ),
  error(409, "UniqueConstraint", "Another row has the same values; `errors` names the fields."),
  ...["CheckConstraint", "ExclusionConstraint", "RelationConstraint", "RecordsNotConnected"].map((code) =>
    error(409, code, "The values break a rule of the database."),
  ),
];

const conflict = error(409, "WriteConflict", "Another request changed the same rows; try again.");
const referred = error(409, "ForeignKeyConstraint", "Other rows refer to this one.");
const absent = error(404, "NotFound", "There is no such row.");
const changed = error(412, "PreconditionFailed", "The row has changed since it was read.");
const busy = error(503, "DatabaseBusy", "Too many dear queries wait; `Retry-After` says when to try again.");
const tooMany = error(413, "BulkTooLarge", "There are too many items in one request.");
const missing = error(400, "MissingFilter", "Neither the body nor the query says which rows.");
const forbidden = error(403, "Forbidden", "The row would not be one that the caller may write.");

/** The errors that one generated route can answer of its own (contract C17). */
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
