import type { HttpError, ValidationIssue } from "@servicekit/core";
import { isHidden } from "../models/is-hidden.js";
import type { Field } from "../models/model.js";
import type { DatabaseFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";

/** SQLite's codes of a violated foreign key, and of one that restricts a write of the referenced row. */
const sqlite = { violated: "787", restricts: "1811" } as const;

/** MySQL's codes of a foreign key that restricts a write of the referenced row. */
const mysqlRestricts: ReadonlySet<number | undefined> = new Set([1217, 1451]);

/** 400 for a write that references a missing row, 409 for one that deletes a referenced row (contract C17). */
export function foreignKeyError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError {
  const isReferredTo = failure.databaseMessage?.startsWith("update or delete on table") ?? false;
  const { sqlState, mysqlCode, constraint } = failure;
  // A row that the write references and that does not exist has been searched for.
  const isReferredInSqlite = sqlState === sqlite.violated && constraint?.fields === undefined;
  const isRestricted =
    sqlState === "23001" || sqlState === sqlite.restricts || isReferredInSqlite || mysqlRestricts.has(mysqlCode);
  if (context.operation === "delete" || isReferredTo || isRestricted) {
    return ormErrors.ForeignKeyConstraint(undefined, { cause });
  }
  const message = "This record does not exist.";
  const errors = foreignKeyFields(failure, context).map(
    (name): ValidationIssue => ({ in: "body", path: `/${name}`, code: "RelatedRecordNotFound", message }),
  );
  return ormErrors.RelatedRecordNotFound(undefined, errors.length === 0 ? { cause } : { cause, errors });
}

/**
 * The fields of the violated foreign key. Foreign keys may overlap: only the fields that the write sets count, if it
 * sets one of them.
 */
function foreignKeyFields({ constraint }: DatabaseFailure, { model, written = [] }: ErrorContext): readonly string[] {
  const keys = (model?.fields ?? []).flatMap((field) => {
    if (field.kind !== "relation" || field.relation.fields.length === 0) return [];
    return [field.relation.fields.flatMap((name) => model?.fieldsByName.get(name) ?? [])];
  });
  const isSet = ({ name }: Field): boolean => written.includes(name);
  const set = keys.filter((fields) => fields.some(isSet));
  const named = keys.find((fields) => {
    const columns = fields.map(({ column }) => column);
    return (
      constraint?.index === foreignKeyName(model?.table ?? "", columns) || constraint?.fields?.join() === columns.join()
    );
  });
  // A constraint may have a custom name: then it is the only one that the write sets.
  const failed = named ?? (set.length === 1 ? set[0] : undefined) ?? [];
  const shown = failed.filter((field) => !isHidden(field));
  return (shown.some(isSet) ? shown.filter(isSet) : shown).map(({ name }) => name);
}

/** Prisma's name of a foreign key constraint; PostgreSQL truncates it to 63 bytes. */
function foreignKeyName(table: string, columns: readonly string[]): string {
  const ending = "_fkey";
  const room = 63 - ending.length;
  return `${Buffer.from([table, ...columns].join("_"))
    .subarray(0, room)
    .toString()}${ending}`;
}
