import type { FieldFault, HttpError } from "@servicekit/errors";
import { isHidden } from "../is-hidden.js";
import type { Model, UniqueKey } from "../model.js";
import type { DatabaseFailure } from "./database-failure.js";
import type { ErrorContext } from "./error-context.js";
import { ormErrors } from "./orm-errors.js";

/** The 409 of a unique constraint. It names the fields, but never a hidden one (contract C11, C17). */
export function uniqueError(failure: DatabaseFailure, context: ErrorContext, cause: unknown): HttpError {
  const found = findKey(failure, context);
  const fields = found?.key.fields.filter((field) => !isHidden(field)) ?? [];
  if (found === undefined || fields.length === 0) return ormErrors.UniqueConstraint(undefined, { cause });
  const words = found.model.resource.replaceAll("-", " ");
  const message = `Another ${words} has the same ${sentenceList(fields.map((field) => field.name))}.`;
  const base = pathOf(found.model, context);
  const paths = base === undefined ? [""] : fields.map((field) => `${base}/${field.name}`);
  const errors = paths.map((path): FieldFault => ({ in: "body", path, code: "unique", message }));
  return ormErrors.UniqueConstraint(message, { cause, errors });
}

function findKey(
  { constraint, model: at }: DatabaseFailure,
  { model, models }: ErrorContext,
): { model: Model; key: UniqueKey } | undefined {
  const failing = at === undefined ? undefined : models?.get(at);
  for (const candidate of new Set([failing, model, ...(models?.values() ?? [])])) {
    const key = candidate?.uniqueKeys.find(({ constraint: name, fields }) => {
      if (constraint?.index !== undefined) return name === constraint.index;
      const columns = fields.map((field) => field.column);
      return constraint?.fields?.length === columns.length && constraint.fields.every((one) => columns.includes(one));
    });
    if (candidate !== undefined && key !== undefined) return { model: candidate, key };
  }
  return undefined;
}

/** Where in the body a row of `failing` stands; `undefined` when there is more than one place, or a list. */
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
