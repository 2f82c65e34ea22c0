import { type FieldFault, HttpError, isHttpError } from "@servicekit/core";
import { fromJsonPointer } from "@servicekit/core/internal";
import { type Model } from "@servicekit/prisma";
import { brokenRule, isHidden } from "@servicekit/prisma/internal";
import type { View } from "../resource/view.js";

/** What the caller sees. */
export type SeenModels = Pick<View, "models" | "viewable">;

/**
 * The same error without what it says of models and fields that the caller does not see (contract C11, C57): the database
 * names every column of a key, wherever the write was made. An error without a cause is not the database's, and speaks of
 * what the body itself has named.
 *
 * @param start the model of the route
 * @param view the models as the caller sees them
 */
export function hideInErrors(error: unknown, start: Model, { models, viewable }: SeenModels): unknown {
  if (!isHttpError(error) || error.errors === undefined || error.cause === undefined) return error;
  const rule = brokenRule(error.cause, { model: start, models });
  const isElsewhere = rule?.model !== undefined && rule.model.name !== start.name;
  const isClosed = isElsewhere && viewable?.has(rule.model.name) === false;
  const told = error.errors.filter(
    (fault) =>
      fault.in !== "body" ||
      (isSeen(fault, start, models) && !(isClosed && fault.path !== "") && !namesHidden(fault, rule?.model)),
  );
  const saysMore =
    error.code === "UniqueConstraint" &&
    rule !== undefined &&
    error.message !== titles.UniqueConstraint &&
    (isClosed || error.message !== rule.message);
  if (told.length === error.errors.length && !saysMore) return error;
  const { status, code, cause, headers } = error;
  const title = titles[code] ?? "The request is in conflict with the data.";
  const whole: FieldFault = {
    in: "body",
    path: "",
    code,
    message: title,
  };
  const errors = told.length === 0 ? [whole] : told.map((fault): FieldFault => ({ ...fault, message: title }));
  return new HttpError(status, code, title, {
    cause,
    errors,
    ...(headers === undefined ? {} : { headers }),
  });
}

/** What is said where the fields cannot be. */
const titles: Readonly<Record<string, string>> & { readonly UniqueConstraint: string } = {
  UniqueConstraint: "Another record has the same values.",
  RelatedRecordNotFound: "A related record does not exist.",
};

/** Whether the last step of a path is a hidden field of the model that refused the write. */
function namesHidden({ path }: FieldFault, model: Model | undefined): boolean {
  const field = model?.fieldsByName.get(path.slice(path.lastIndexOf("/") + 1));
  return field !== undefined && isHidden(field);
}

function isSeen({ path }: FieldFault, start: Model, models: View["models"]): boolean {
  let model: Model | undefined = start;
  for (const name of fromJsonPointer(path)) {
    const field = model?.fieldsByName.get(name);
    if (field === undefined) continue;
    if (isHidden(field)) return false;
    if (field.kind === "relation") model = models.get(field.type);
  }
  return true;
}
