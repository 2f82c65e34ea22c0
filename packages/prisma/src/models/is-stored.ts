import type { Field, Model, StoredField } from "./model.js";

/** Whether a field is a column of a type that Prisma supports. */
export const isStored = (field: Field | undefined): field is StoredField =>
  field?.kind === "scalar" || field?.kind === "enum";

const known = new WeakMap<Model, readonly StoredField[]>();

/** The stored fields of a model, in the order of the schema. */
export function storedFields(model: Model): readonly StoredField[] {
  let found = known.get(model);
  if (found === undefined) {
    found = model.fields.filter(isStored);
    known.set(model, found);
  }
  return found;
}
