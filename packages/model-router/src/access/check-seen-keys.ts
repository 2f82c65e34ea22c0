import { type FieldFault, httpErrors } from "@servicekit/errors";
import { isPlainObject, toJsonPointer } from "@servicekit/field-path";
import { isHidden, type Model, type Models } from "@servicekit/orm";

/**
 * Refuses a body that names fields or relations which the caller does not see, in the words for a key that nobody knows
 * (contract C11, C30).
 *
 * @param models the models as the caller sees them
 * @throws {HttpError} 400 that names each
 */
export function checkSeenKeys(body: unknown, model: Model, models: Models): void {
  const faults: FieldFault[] = [];
  visit(body, model, models, [], faults);
  if (faults.length > 0) throw httpErrors.ValidationError(undefined, { errors: faults });
}

function visit(
  value: unknown,
  model: Model,
  models: Models,
  path: readonly (string | number)[],
  faults: FieldFault[],
): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) visit(item, model, models, [...path, index], faults);
  if (!isPlainObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const field = model.fieldsByName.get(key);
    if (field === undefined) continue;
    const at = [...path, key];
    if (isHidden(field) && !field.marks.writeonly) {
      const message = "This key is not known here.";
      faults.push({ in: "body", path: toJsonPointer(at), code: "unknown_key", message });
    } else if (field.kind === "relation") {
      const related = models.get(field.type);
      if (related !== undefined) visit(inner, related, models, at, faults);
    }
  }
}
