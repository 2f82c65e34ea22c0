import { type FieldFault, HttpError, isHttpError } from "@servicekit/errors";
import { isHidden, type Model, type Models } from "@servicekit/orm";

/**
 * The same error without what it says of fields that the caller does not see (contract C11): the database names every
 * column of a key. An error without a cause is not the database's, and speaks of what the body itself has named.
 *
 * @param models the models as the caller sees them
 */
export function hideInErrors(error: unknown, model: Model, models: Models): unknown {
  if (!isHttpError(error) || error.errors === undefined || error.cause === undefined) return error;
  const told = error.errors.filter((fault) => fault.in !== "body" || isSeen(fault, model, models));
  if (told.length === error.errors.length) return error;
  const { status, code, cause, headers } = error;
  const title = titles[code] ?? "The request is in conflict with the data.";
  const errors = told.map((fault): FieldFault => ({ ...fault, message: title }));
  return new HttpError(status, code, title, {
    cause,
    ...(errors.length === 0 ? {} : { errors }),
    ...(headers === undefined ? {} : { headers }),
  });
}

/** What is said where the fields cannot be. */
const titles: Readonly<Record<string, string>> = {
  UniqueConstraint: "Another record has the same values.",
  RelatedRecordNotFound: "A related record does not exist.",
};

function isSeen({ path }: FieldFault, start: Model, models: Models): boolean {
  let model: Model | undefined = start;
  for (const segment of path.split("/")) {
    const field = model?.fieldsByName.get(segment.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (field === undefined) continue;
    if (isHidden(field)) return false;
    if (field.kind === "relation") model = models.get(field.type);
  }
  return true;
}
