import type { Models, StoredField } from "@servicekit/orm";
import { isKnown } from "./column.js";

/** The fields whose type the SQL of reads does not know, as `Model.field (Type)`: reads that ask for them are Prisma's. */
export function fieldsByPrisma(models: Models): readonly string[] {
  return [...models.values()].flatMap(({ name, fields }) =>
    fields
      .filter((field): field is StoredField => (field.kind === "scalar" || field.kind === "enum") && !isKnown(field))
      .map((field) => `${name}.${field.name} (${typeText(field)})`),
  );
}

const typeText = ({ type, nativeType, isList }: StoredField): string =>
  `${type}${isList ? "[]" : ""}${nativeType === undefined ? "" : ` @db.${nativeType.name}`}`;
