import { type FieldFault, httpErrors } from "@servicekit/errors";
import { isPlainObject, toJsonPointer } from "@servicekit/field-path";
import { isHidden, type Model, type Models } from "@servicekit/orm";

/**
 * Refuses a body that names fields or relations which the caller does not see, in the words for a key that nobody knows
 * (contract C11, C30).
 *
 * @param context the models as the caller sees them, and as they are seen by who may see everything: what nobody sees,
 *   such as a password, is settled by the schema of the body
 * @throws {HttpError} 400 that names each
 */
export function checkSeenKeys(body: unknown, model: Model, context: SeenContext): void {
  const faults: FieldFault[] = [];
  visit(body, model, context, [], faults);
  if (faults.length > 0) throw httpErrors.ValidationError(undefined, { errors: faults });
}

/** The models of a caller beside those of everyone. */
export interface SeenContext {
  readonly seen: Models;
  readonly models: Models;
}

function visit(
  value: unknown,
  model: Model,
  context: SeenContext,
  path: readonly (string | number)[],
  faults: FieldFault[],
): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) visit(item, model, context, [...path, index], faults);
  if (!isPlainObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    const field = model.fieldsByName.get(key);
    if (field === undefined) continue;
    const at = [...path, key];
    const whole = context.models.get(model.name)?.fieldsByName.get(key);
    if (isHidden(field) && !(whole !== undefined && isHidden(whole))) {
      const message = "This key is not known here.";
      faults.push({ in: "body", path: toJsonPointer(at), code: "unknown_key", message });
    } else if (field.kind === "relation") {
      const related = context.seen.get(field.type);
      if (related !== undefined) visit(inner, related, context, at, faults);
    }
  }
}
