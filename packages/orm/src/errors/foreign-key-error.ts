import type { FieldFault, HttpError } from "@servicekit/errors";
import { isHidden } from "../is-hidden.js";
import type { Model } from "../model.js";
import type { DatabaseFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";

/** 400 for a write that names a missing row, 409 for one that takes away a row that others refer to (contract C17). */
export function foreignKeyError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError {
  const isReferredTo = failure.databaseMessage?.startsWith("update or delete on table") ?? false;
  if (context.operation === "delete" || isReferredTo || failure.sqlState === "23001") {
    return ormErrors.ForeignKeyConstraint(undefined, { cause });
  }
  const message = "This record does not exist.";
  const errors = foreignKeys(failure, context.model).map(
    (name): FieldFault => ({ in: "body", path: `/${name}`, code: "RelatedRecordNotFound", message }),
  );
  return ormErrors.RelatedRecordNotFound(undefined, errors.length === 0 ? { cause } : { cause, errors });
}

/** The fields of the foreign key that failed, by the name that Prisma gives its constraint, or by its columns. */
function foreignKeys({ constraint }: DatabaseFailure, model: Model | undefined): readonly string[] {
  for (const field of model?.fields ?? []) {
    if (field.kind !== "relation" || field.relation.fields.length === 0) continue;
    const keys = field.relation.fields.flatMap((name) => model?.fieldsByName.get(name) ?? []);
    const columns = keys.map((key) => key.column);
    const isThis =
      constraint?.index === [model?.table, ...columns, "fkey"].join("_") ||
      constraint?.fields?.join() === columns.join();
    if (isThis) return keys.filter((key) => !isHidden(key)).map((key) => key.name);
  }
  return [];
}
