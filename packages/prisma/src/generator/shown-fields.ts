import { isHidden } from "../is-hidden.js";
import type { Field, Model, Models, RelationField, StoredField } from "../model.js";

/** Whether answers show a field that is stored, by what the schema says of it. */
export const isShown = (field: Field): field is StoredField =>
  (field.kind === "scalar" || field.kind === "enum") && !isHidden(field);

/** A relation that answers may show, and where it leads. */
export interface ShownRelation {
  readonly field: RelationField;
  readonly related: Model;
}

/** The relations of a model that answers may show. */
export function shownRelations(model: Model, models: Models): readonly ShownRelation[] {
  return model.fields.flatMap((field) => {
    const related = field.kind === "relation" && !isHidden(field) ? models.get(field.type) : undefined;
    return field.kind !== "relation" || related === undefined ? [] : [{ field, related }];
  });
}
