import { isHidden } from "../models/is-hidden.js";
import { isStored } from "../models/is-stored.js";
import type { Field, Model, Models, RelationField, StoredField } from "../models/model.js";

/** Whether responses contain a stored field, by the schema. */
export const isShown = (field: Field): field is StoredField => isStored(field) && !isHidden(field);

/** A relation that responses may include, and its target. */
export interface ShownRelation {
  readonly field: RelationField;
  readonly related: Model;
}

/** The relations of a model that responses may include. */
export function shownRelations(model: Model, models: Models): readonly ShownRelation[] {
  return model.fields.flatMap((field) => {
    const related = field.kind === "relation" && !isHidden(field) ? models.get(field.type) : undefined;
    return field.kind !== "relation" || related === undefined ? [] : [{ field, related }];
  });
}
