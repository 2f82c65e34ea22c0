import type { HttpError, ValidationIssue } from "@servicekit/core";
import { isHidden } from "../models/is-hidden.js";
import type { Model, UniqueKey } from "../models/model.js";
import { type DatabaseFailure, readFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";

/** The 409 of a unique constraint. It names the fields, but never a hidden one (contract C11, C17). */
export function uniqueError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError {
  const found = findKey(failure, context);
  const message = found && keyMessage(found);
  if (found === undefined || message === undefined) return ormErrors.UniqueConstraint(undefined, { cause });
  const base = pathOf(found.model, context);
  const paths = base === undefined ? [""] : shownFields(found.key).map((field) => `${base}/${field.name}`);
  const errors = paths.map((path): ValidationIssue => ({ in: "body", path, code: "UniqueConstraint", message }));
  return ormErrors.UniqueConstraint(message, { cause, errors });
}

/** The subject of a rejected write. */
export interface BrokenRule {
  /** `undefined` if it is unknown. */
  readonly model: Model | undefined;
  /** The message about a duplicate unique key, of visible fields; `undefined` without any. */
  readonly message: string | undefined;
}

/**
 * Reads the subject of a rejected write again, in the models of one caller (contract C57).
 *
 * @param cause the error of Prisma, as `toHttpError` has stored it
 * @returns `undefined` for an error of another origin
 */
export function brokenRule(cause: unknown, context: Pick<ErrorContext, "model" | "models">): BrokenRule | undefined {
  const failure = readFailure(cause);
  if (failure === undefined) return undefined;
  const isUnique = failure.code === "P2002" || failure.sqlState === "23505" || failure.mysqlCode === 1062;
  const found = isUnique ? findKey(failure, { ...context, operation: "update" }) : undefined;
  return {
    model: found?.model ?? context.models?.get(failure.model ?? ""),
    message: found && keyMessage(found),
  };
}

function keyMessage({ model, key }: FoundKey): string | undefined {
  const names = shownFields(key).map((field) => field.name);
  if (names.length === 0) return undefined;
  return `Another ${model.resource.replaceAll("-", " ")} has the same ${sentenceList(names)}.`;
}

const shownFields = ({ fields }: UniqueKey): UniqueKey["fields"] => fields.filter((field) => !isHidden(field));

interface FoundKey {
  readonly model: Model;
  readonly key: UniqueKey;
}

function findKey({ constraint, model: at }: DatabaseFailure, { model, models }: ErrorContext): FoundKey | undefined {
  const failing = at === undefined ? undefined : models?.get(at);
  for (const candidate of new Set([failing, model, ...(models?.values() ?? [])])) {
    const key = candidate?.uniqueKeys.find(({ constraint: name, fields }, index) => {
      // MySQL's name of every primary key.
      if (constraint?.index === "PRIMARY") return index === 0;
      if (constraint?.index !== undefined) return name === constraint.index;
      const columns = fields.map((field) => field.column);
      return constraint?.fields?.length === columns.length && constraint.fields.every((one) => columns.includes(one));
    });
    if (candidate !== undefined && key !== undefined) return { model: candidate, key };
  }
  return undefined;
}

/** The place in the body of a row of `failing`; `undefined` if there is more than one, or a list. */
function pathOf(failing: Model, { model }: ErrorContext): string | undefined {
  if (model === undefined || model.name === failing.name) return "";
  const relations = model.fields.filter((field) => field.kind === "relation" && field.type === failing.name);
  const [only] = relations;
  if (only === undefined || relations.length > 1 || only.isList || isHidden(only)) return undefined;
  return `/${only.name}`;
}

function sentenceList(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
