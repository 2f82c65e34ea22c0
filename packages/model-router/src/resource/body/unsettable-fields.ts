import { type Model, type StoredField } from "@servicekit/prisma";
import { isOptionalInCreate } from "@servicekit/prisma/internal";

/** What bodies may set of a model, as far as it is known before its relations are. */
export interface Settable {
  readonly fields: ReadonlyMap<string, StoredField>;
  /** The names that the configuration opens. */
  readonly opened: readonly string[];
}

/**
 * The fields that a new row needs and that no body can set: hidden and read-only ones without a default. A foreign key can
 * also be set by its relation, where that is opened, or by the row above it.
 *
 * @param isNested whether the place of the row settles its foreign keys
 */
export function unsettableFields(model: Model, settable: Settable, isNested = false): readonly StoredField[] {
  return model.fields.filter((field): field is StoredField => {
    if (field.kind === "relation" || field.kind === "unsupported") return false;
    if (isOptionalInCreate(field) || settable.fields.has(field.name)) return false;
    return !field.isForeignKey || !(isNested || isSetByRelation(field, model, settable));
  });
}

function isSetByRelation({ name }: StoredField, model: Model, { opened }: Settable): boolean {
  return model.fields.some(
    (field) =>
      field.kind === "relation" &&
      field.relation.fields.includes(name) &&
      (opened.includes(field.name) || field.marks.writable),
  );
}
