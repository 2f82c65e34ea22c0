import { type Model, type StoredField } from "@servicekit/prisma";
import { isOptionalInCreate, isStored } from "@servicekit/prisma/internal";

/** The settable fields of a model, before its relations are known. */
export interface Settable {
  readonly fields: ReadonlyMap<string, StoredField>;
  /** The names that the configuration allows. */
  readonly opened: readonly string[];
  /** The fields that the service sets. */
  readonly newNames: ReadonlySet<string>;
}

/**
 * The required fields of a new row that no body can set: hidden and read-only ones without a default. A foreign key can
 * also be set by its relation, if that is allowed, or by the parent row.
 *
 * @param isNested whether the place of the row determines its foreign keys
 */
export function unsettableFields(model: Model, settable: Settable, isNested = false): readonly StoredField[] {
  return model.fields.filter((field): field is StoredField => {
    if (!isStored(field)) return false;
    if (isOptionalInCreate(field) || settable.fields.has(field.name)) return false;
    if (settable.newNames.has(field.name)) return false;
    return !field.isForeignKey || !(isNested || isSetByRelation(field, model, settable));
  });
}

function isSetByRelation({ name }: StoredField, model: Model, { opened }: Settable): boolean {
  return model.fields.some(
    (field) =>
      field.kind === "relation" &&
      field.relation.fields.includes(name) &&
      (opened.includes(field.name) || field.annotations.writable),
  );
}
