import { HttpError, isHttpError, type ValidationIssue } from "@servicekit/core";
import { fromJsonPointer } from "@servicekit/core/internal";
import { type Model } from "@servicekit/prisma";
import { brokenRule, isHidden } from "@servicekit/prisma/internal";
import type { View } from "../resource/view.js";

/** The fields that the caller may see. */
export type SeenModels = Pick<View, "models" | "viewable">;

/**
 * The same error without models and fields that the caller may not see (contract C11, C57): the database names every
 * column of a key, wherever the write was. An error without a cause is not the database's, and refers to what the body
 * contains.
 *
 * @param start the model of the route
 * @param view the models of the caller
 */
export function hideInErrors(error: unknown, start: Model, { models, viewable }: SeenModels): unknown {
  if (!isHttpError(error) || error.errors === undefined || error.cause === undefined) return error;
  const rule = brokenRule(error.cause, { model: start, models });
  const isElsewhere = rule?.model !== undefined && rule.model.name !== start.name;
  const isClosed = isElsewhere && viewable?.has(rule.model.name) === false;
  const visible = error.errors.filter(
    (issue) =>
      issue.in !== "body" ||
      (isSeen(issue, start, models) && !(isClosed && issue.path !== "") && !namesHidden(issue, rule?.model)),
  );
  const isMoreSpecific =
    error.code === "UniqueConstraint" &&
    rule !== undefined &&
    error.message !== titles.UniqueConstraint &&
    (isClosed || error.message !== rule.message);
  if (visible.length === error.errors.length && !isMoreSpecific) return error;
  const { status, code, cause, headers } = error;
  const title = titles[code] ?? "The request conflicts with existing data.";
  const general: ValidationIssue = {
    in: "body",
    path: "",
    code,
    message: title,
  };
  const errors =
    visible.length === 0 ? [general] : visible.map((issue): ValidationIssue => ({ ...issue, message: title }));
  return new HttpError(status, code, title, {
    cause,
    errors,
    ...(headers === undefined ? {} : { headers }),
  });
}

/** The message without field names. */
const titles: Readonly<Record<string, string>> & { readonly UniqueConstraint: string } = {
  UniqueConstraint: "Another record has the same values.",
  RelatedRecordNotFound: "A related record does not exist.",
};

/** Whether the last step of a path is a hidden field of the model that rejected the write. */
function namesHidden({ path }: ValidationIssue, model: Model | undefined): boolean {
  const field = model?.fieldsByName.get(path.slice(path.lastIndexOf("/") + 1));
  return field !== undefined && isHidden(field);
}

function isSeen({ path }: ValidationIssue, start: Model, models: View["models"]): boolean {
  let model: Model | undefined = start;
  for (const name of fromJsonPointer(path)) {
    const field = model?.fieldsByName.get(name);
    if (field === undefined) continue;
    if (isHidden(field)) return false;
    if (field.kind === "relation") model = models.get(field.type);
  }
  return true;
}
